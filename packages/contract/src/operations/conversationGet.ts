import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { Conversation, ofConversation } from "../resources/Conversation.ts"

export const summary = "Read what is known of a conversation"
export const description = "When it began, and its metadata."

/** A conversation that is not kept, or not any more, is `NotFound`. */
export const conversationGet = Operation.make({
  ...kinds.keptCall,
  id: "conversations.get",
  method: "GET",
  path: "/v1/conversations/{id}",
  request: { path: ofConversation },
  success: Conversation
})
