import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { Conversation, ofItem } from "../resources/Conversation.ts"

export const summary = "Delete one item of a conversation"
export const description = "The model does not read it any more."

/** An item that is not kept, or not any more, is `NotFound`. */
export const conversationItemDelete = Operation.make({
  ...kinds.keptCall,
  id: "conversations.delete_item",
  method: "DELETE",
  path: "/v1/conversations/{id}/items/{item}",
  request: { path: ofItem },
  success: Conversation
})
