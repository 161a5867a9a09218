import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { ofItem } from "../resources/Conversation.ts"

export const summary = "Read one item of a conversation"
export const description = "A message, a call of a tool, its result or reasoning."

/** An item that is not kept, or not any more, is `NotFound`. */
export const conversationItemGet = Operation.make({
  ...kinds.keptCall,
  id: "conversations.get_item",
  method: "GET",
  path: "/v1/conversations/{id}/items/{item}",
  request: { path: ofItem },
  success: Open({})
})
