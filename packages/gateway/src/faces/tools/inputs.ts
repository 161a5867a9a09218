import * as Schema from "effect/Schema"
import { maxLimit } from "./catalogue/Index.ts"

// What the tools take. Field descriptions are read by models.

const optional = Schema.optionalKey

const mostCalls = 20
const longestWaitSeconds = 300

const max = Schema.Finite.annotate({
  description:
    "The most that this call may cost, in USD, up to nine decimals. A call that could cost more is refused before anything is spent. Required unless the operation is free."
})

const callFields = {
  operation_id: Schema.String.annotate({ description: "From search or get_details." }),
  arguments: optional(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "The operation's input, as get_details describes it."
    })
  ),
  max_price_usd: optional(max),
  idempotency_key: optional(
    Schema.String.annotate({
      description:
        "Up to 255 characters, new for each new call. When you repeat a call, keep its key and arguments: it is not paid twice."
    })
  )
}

export const Call = Schema.Struct(callFields)
export type Call = typeof Call.Type

export const Use = Schema.Struct({
  ...callFields,
  wait_seconds: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: longestWaitSeconds })).annotate({
      description:
        "How long to wait for the end of a task such as a video. Without it the task's id may come back first."
    })
  )
})
export type Use = typeof Use.Type

export const BatchUse = Schema.Struct({
  calls: Schema.Array(Call).check(Schema.isMinLength(1), Schema.isMaxLength(mostCalls)),
  max_total_usd: optional(
    Schema.Finite.annotate({
      description: "The most that all calls together may cost, in USD. Required unless all operations are free."
    })
  )
})
export type BatchUse = typeof BatchUse.Type

export const Search = Schema.Struct({
  query: Schema.String.annotate({ description: "What you need, in a few plain words, in English." }),
  category: optional(Schema.String.annotate({ description: "From list_categories." })),
  limit: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxLimit })))
})

export const GetDetails = Schema.Struct({ operation_id: Schema.String })

/** Takes nothing. */
export const ListCategories = Schema.Record(Schema.String, Schema.Never)
