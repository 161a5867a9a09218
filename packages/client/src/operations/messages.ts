import { messages as operation } from "@tollgate/contract/operations/messages"
import { call } from "../call.ts"

/** Answers a conversation, in the Anthropic style. */
export const messages = call(operation)
