import { chat } from "./chat/index.ts"
import type { Codec } from "./Codec.ts"
import type { Shape } from "./Conversation.ts"
import { generateContent } from "./generateContent/index.ts"
import { messages } from "./messages/index.ts"
import { responses } from "./responses/index.ts"

/** Every protocol, by its name. */
export const codecs: Readonly<Record<Shape, Codec>> = { chat, responses, messages, generateContent }
