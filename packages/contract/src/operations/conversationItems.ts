import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { ItemList, ItemQuery, ofConversation } from "../resources/Conversation.ts"

export const summary = "List the items of a conversation"
export const description = "What was said, page by page."

/** A conversation that is not kept, or not any more, is `NotFound`. */
export const conversationItems = Operation.make({
  ...kinds.keptCall,
  id: "conversations.items",
  method: "GET",
  path: "/v1/conversations/{id}/items",
  request: { path: ofConversation, query: ItemQuery },
  success: ItemList
})
