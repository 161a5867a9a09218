import { streamGenerateContent as operation } from "@tollgate/contract/operations/streamGenerateContent"
import { gemini as protocol } from "./Protocol.ts"
import { streaming } from "./streaming.ts"

/** Generates content, in the Gemini style, while it is made. */
export const generateContentStream = streaming({ operation, protocol, query: { alt: "sse" } })
