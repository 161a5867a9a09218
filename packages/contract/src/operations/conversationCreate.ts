import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { Conversation, Items, Metadata } from "../resources/Conversation.ts"

export const summary = "Begin a conversation that the gateway keeps"
export const description =
  "Name it in conversation of a response: the model reads its items first, and what both say is added."

export const conversationCreate = Operation.make({
  ...kinds.keptCall,
  id: "conversations.create",
  method: "POST",
  path: "/v1/conversations",
  request: {
    body: Open({
      items: Schema.optionalKey(Schema.NullOr(Items)),
      metadata: Schema.optionalKey(Schema.NullOr(Metadata))
    })
  },
  success: Conversation
})
