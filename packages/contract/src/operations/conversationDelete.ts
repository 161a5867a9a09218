import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { ofConversation } from "../resources/Conversation.ts"

export const summary = "Delete a conversation"
export const description = "Its items are gone. Responses that were made with it stay."

/** A conversation that is not kept, or not any more, is `NotFound`. */
export const conversationDelete = Operation.make({
  ...kinds.keptCall,
  id: "conversations.delete",
  method: "DELETE",
  path: "/v1/conversations/{id}",
  request: { path: ofConversation },
  success: Open({ id: Schema.String, object: Schema.String, deleted: Schema.Boolean })
})
