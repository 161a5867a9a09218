import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { Conversation, Metadata, ofConversation } from "../resources/Conversation.ts"

export const summary = "Change the metadata of a conversation"
export const description = "Replaces them all."

/** A conversation that is not kept, or not any more, is `NotFound`. */
export const conversationUpdate = Operation.make({
  ...kinds.keptCall,
  id: "conversations.update",
  method: "POST",
  path: "/v1/conversations/{id}",
  request: { path: ofConversation, body: Open({ metadata: Metadata }) },
  success: Conversation
})
