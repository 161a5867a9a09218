import { chat } from "../src/chat/index.ts"
import type { Codec } from "../src/Codec.ts"
import { generateContent } from "../src/generateContent/index.ts"
import { messages } from "../src/messages/index.ts"
import { responses } from "../src/responses/index.ts"

/** Every protocol that is described. */
export const codecs: ReadonlyArray<Codec> = [chat, responses, messages, generateContent]
