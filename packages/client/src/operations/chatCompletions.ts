import { chatCompletions as operation } from "@tollgate/contract/operations/chatCompletions"
import { call } from "../call.ts"

/** Answers a conversation, in the OpenAI style. */
export const chatCompletions = call(operation)
