import * as Schema from "effect/Schema"
import { OptionalText, Text, TextOrNull, Time } from "../account/Amount.ts"
import * as Api from "../Api.ts"
import { IntFromQuery } from "../QueryStyle.ts"

export const TrailEntry = Schema.Struct({
  seq: Schema.Int,
  at: Time,
  who: Text("An operator with the id, the shared token, a key of an account, a command, or the configuration file."),
  operator: Schema.NullOr(Schema.String),
  address: TextOrNull("Where the request came from."),
  request: TextOrNull("The id of the request. `null`: there was none."),
  action: Schema.String,
  subject: Text("The id of what was changed."),
  account: Schema.NullOr(Schema.String),
  before: Schema.Unknown.annotate({ description: "What differs, as it was. `null`: it was not there." }),
  after: Schema.Unknown.annotate({ description: "What differs, as it is since then." }),
  why: Schema.String,
  hash: Text("Of the entry and of the hash before it, with the secret of the gateway.")
}).annotate({ identifier: "TrailEntry" })
export interface TrailEntry extends Schema.Schema.Type<typeof TrailEntry> {}

export const Trail = Schema.Struct({
  trail: Schema.Array(TrailEntry).annotate({ description: "The newest first." })
})
export interface Trail extends Schema.Schema.Type<typeof Trail> {}

const optional = (description: string) => Schema.optionalKey(IntFromQuery.annotate({ description }))

export const TrailQuery = Schema.Struct({
  of: OptionalText("Only entries with this subject, account, person, action or request."),
  start_time: optional("Unix seconds."),
  end_time: optional("Unix seconds."),
  before: optional("Only entries before this `seq`, for the next page."),
  limit: Schema.optionalKey(IntFromQuery.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))).annotate({
    description: "1 to 1,000; 100 by default."
  })
})
export interface TrailQuery extends Schema.Schema.Type<typeof TrailQuery> {}

export const trail = {
  trail: Api.get("/trail", {
    summary: "Who changed what and when, the newest first",
    description: "Everything that people, tokens and commands change. The audit proves that it is whole.",
    query: TrailQuery,
    success: Trail,
    example: { query: { of: "acct_1", limit: "20" } }
  })
} as const
