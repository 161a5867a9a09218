import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Api from "../Api.ts"
import { parseUsd } from "../Money.ts"
import { Names } from "../Names.ts"
import { Flag, Text } from "./Amount.ts"

const Fields = Schema.Record(Schema.String, Schema.Unknown)

/** An operation, as a form and a menu need it. */
export const OfferedOperation = Schema.Struct({
  id: Schema.String,
  template: Text("The id before the operator's names are filled in: the name of the operation in the contract."),
  category: Schema.String,
  summary: Schema.String,
  method: Schema.String,
  path: Schema.String,
  input_schema: Fields.annotate({
    description: "The JSON Schema (2020-12) of the arguments, all parts of the request in one object."
  }),
  is_custom: Flag("Whether it is the operator's own, from the configuration."),
  example: Fields.annotate({ description: "Arguments that the operation accepts." }),
  price: Text("In words: `$0.05 / 1M tokens`."),
  is_free: Schema.Boolean,
  streams: Schema.Boolean,
  starts_task: Schema.Boolean,
  family: Schema.String,
  limits: Schema.String,
  models: Schema.Array(Schema.String).annotate({ description: "Models that can be named." })
}).annotate({ identifier: "OfferedOperation" })
export interface OfferedOperation extends Schema.Schema.Type<typeof OfferedOperation> {}

/** A way in which the sandbox can answer. */
export const Scenario = Schema.Struct({
  value: Text("The value of the header: `status; code=429; after=2`."),
  title: Schema.String,
  shows: Text("What a caller sees the client do.")
}).annotate({ identifier: "Scenario" })
export interface Scenario extends Schema.Schema.Type<typeof Scenario> {}

/** Everything that a credential can call. */
export const Offer = Schema.Struct({
  names: Names,
  operations: Schema.Array(OfferedOperation),
  scenarios: Schema.Array(Scenario).annotate({ description: "Empty unless calls reach the sandbox." })
}).annotate({ identifier: "Offer" })
export interface Offer extends Schema.Schema.Type<typeof Offer> {}

export const SnippetsRequest = Schema.Struct({
  operation: Schema.String,
  arguments: Fields.annotate({
    description: "As in the offer: all parts of the request in one object, of up to 1,000 values."
  }),
  stream: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Whether the answer is streamed, if the operation can. Without it, the arguments say so."
  }),
  max_price_usd: Schema.optionalKey(
    Text("The cap, in decimal USD.").check(
      Schema.makeFilter((text) => Option.isSome(parseUsd(text)) || "a decimal amount of USD with up to nine decimals")
    )
  ),
  // As wide as the sandbox reads it: nothing in it can end a header or a text.
  scenario: Schema.optionalKey(
    Text("A scenario of the sandbox, such as one of the offer.").check(Schema.isPattern(/^[a-z][\w;=. -]{0,99}$/u))
  )
})
export interface SnippetsRequest extends Schema.Schema.Type<typeof SnippetsRequest> {}

/** The code that makes a call, in the languages of the reference. */
export const DiscoveredSnippets = Schema.Struct({
  snippets: Schema.Array(
    Schema.Struct({
      language: Schema.String,
      title: Schema.String,
      syntax: Schema.Literals(["sh", "ts"]),
      code: Schema.String
    })
  )
}).annotate({ identifier: "DiscoveredSnippets" })
export interface DiscoveredSnippets extends Schema.Schema.Type<typeof DiscoveredSnippets> {}

export const operations = {
  offer: Api.get("/operations", {
    summary: "All operations with a JSON Schema, an example, price and limits, and the sandbox's scenarios",
    success: Offer
  }),
  snippets: Api.post("/snippets", {
    summary: "The code of a call in curl, TypeScript and an SDK. Makes no call",
    description: "The code reads the key from the environment.",
    body: SnippetsRequest,
    success: DiscoveredSnippets,
    example: { body: { operation: "rerank", arguments: { query: "a town", documents: ["Ulm", "Bonn"] } } }
  })
} as const
