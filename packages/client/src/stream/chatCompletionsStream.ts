import { chatCompletions as operation } from "@tollgate/contract/operations/chatCompletions"
import { withUsage } from "./openai.ts"
import { openai as protocol } from "./Protocol.ts"
import { streaming } from "./streaming.ts"

/** Answers a conversation, in the OpenAI style, while the answer is made. */
export const chatCompletionsStream = streaming({ operation, protocol, input: withUsage })
