import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { ItemList, Items, ofConversation } from "../resources/Conversation.ts"

export const summary = "Add items to a conversation"
export const description = "The model reads them with the next response."

/** A conversation that is not kept, or not any more, is `NotFound`. */
export const conversationItemsAdd = Operation.make({
  ...kinds.keptCall,
  id: "conversations.add_items",
  method: "POST",
  path: "/v1/conversations/{id}/items",
  request: { path: ofConversation, body: Open({ items: Items }) },
  success: ItemList
})
