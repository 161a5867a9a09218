import * as Schema from "effect/Schema"
import { Open, Typed } from "../Open.ts"
import { IntFromQuery } from "../QueryStyle.ts"

/** Words of the caller's own. */
export const Metadata = Typed<Readonly<Record<string, string>>>()

/** A conversation that the gateway keeps, without its items. */
export const Conversation = Open({
  id: Schema.String,
  object: Schema.String,
  created_at: Schema.Int.annotate({ description: "In Unix seconds." }),
  metadata: Metadata
})

export type Conversation = typeof Conversation.Type

/** What the user, the model and tools said, in the format of Responses. */
export const Items = Schema.Array(Open({}))

export const ItemQuery = Schema.Struct({
  after: Schema.optionalKey(Schema.String).annotate({ description: "`last_id` of the page before." }),
  limit: Schema.optionalKey(IntFromQuery.check(Schema.isBetween({ minimum: 1, maximum: 100 }))).annotate({
    description: "Items of a page. Default: 20."
  }),
  order: Schema.optionalKey(Schema.Literals(["asc", "desc"])).annotate({
    description: "`desc`, the default: the newest first."
  })
})

export const ItemList = Open({
  object: Schema.String,
  data: Items,
  first_id: Schema.NullOr(Schema.String),
  last_id: Schema.NullOr(Schema.String),
  has_more: Schema.Boolean
})

export type ItemList = typeof ItemList.Type

export const ofConversation = Schema.Struct({ id: Schema.NonEmptyString })
export const ofItem = Schema.Struct({ id: Schema.NonEmptyString, item: Schema.NonEmptyString })
