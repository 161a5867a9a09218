import { messages as operation } from "@tollgate/contract/operations/messages"
import { anthropic as protocol } from "./Protocol.ts"
import { streaming } from "./streaming.ts"

/** Answers a conversation, in the Anthropic style, while the answer is made. */
export const messagesStream = streaming({ operation, protocol, input: (body) => ({ ...body, stream: true }) })
