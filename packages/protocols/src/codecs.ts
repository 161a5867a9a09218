import { chat } from "./chat/index.ts"
import type { Codec, UpstreamCodec } from "./Codec.ts"
import type { Shape, UpstreamShape } from "./Conversation.ts"
import { converse } from "./converse/index.ts"
import { generateContent } from "./generateContent/index.ts"
import { messages } from "./messages/index.ts"
import { responses } from "./responses/index.ts"

/** Every protocol of callers, by its name. */
export const codecs: Readonly<Record<Shape, Codec>> = { chat, responses, messages, generateContent }

/** Every protocol of upstreams. */
export const upstreamCodecs: Readonly<Record<UpstreamShape, UpstreamCodec>> = { ...codecs, converse }
