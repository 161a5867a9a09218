import { Outcome } from "@tollgate/contract/Outcome"
import * as Schema from "effect/Schema"
import type { Attached } from "./media.ts"

// What the tools return. Field descriptions are read by models.

const optional = Schema.optionalKey
const text = (description: string) => Schema.String.annotate({ description })

const Window = Schema.Struct({
  limit: optional(Schema.Int),
  remaining: optional(Schema.Int),
  reset: optional(Schema.Int.annotate({ description: "Unix seconds." }))
})

/** What is left of the key's limits. */
export const Limits = Schema.Struct({ requests: optional(Window), tokens: optional(Window) }).annotate({
  description: "Requests and tokens left in this minute."
})

export const Repeat = Schema.Literals(["safe", "after_change", "same_key_only", "never"])

export const ToolError = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  what_to_do: Schema.String,
  outcome: Outcome.annotate({ description: "Whether the call ran. unknown: it may have run and may be charged." }),
  repeat: Repeat.annotate({
    description:
      "safe: nothing ran, the same call can be sent again and is not paid twice. after_change: nothing ran, change the call first. same_key_only: send it again only with the same idempotency_key and arguments, anything else can be charged twice. never: do not send it again."
  }),
  retry_after_seconds: optional(Schema.Int),
  param: optional(text("The field that is wrong."))
})
export type ToolError = typeof ToolError.Type

export const Price = Schema.Struct({
  estimate_usd: text("The likely price of this call, in USD."),
  max_usd: text("The largest possible price of this call, in USD."),
  estimate_micros_usd: Schema.Int,
  max_micros_usd: Schema.Int,
  price_contract: Schema.String,
  basis: text("How the price is computed.")
})
export type Price = typeof Price.Type

export const Cost = Schema.Struct({
  state: Schema.Literals(["settled", "estimated", "pending", "none", "unknown"]).annotate({
    description: "none: not charged. pending: charged later. unknown: may have been charged."
  }),
  usd: optional(text("What was charged, in USD.")),
  micros_usd: optional(Schema.Int)
})
export type Cost = typeof Cost.Type

export const TaskState = Schema.Struct({
  task_id: Schema.String,
  status: Schema.String,
  done: Schema.Boolean,
  next: optional(
    Schema.Struct({ operation_id: Schema.String, arguments: Schema.Record(Schema.String, Schema.String) }).annotate({
      description: "Use this operation, which is free, until done is true."
    })
  )
})

export const SpendingLeft = Schema.Struct({
  usd: text("What can still be spent, in USD."),
  of: Schema.Literals([
    "grant_this_day",
    "grant_this_month",
    "grant",
    "key_this_day",
    "key_this_month",
    "key",
    "account"
  ]).annotate({ description: "The limit that is reached first." })
})
export type SpendingLeft = typeof SpendingLeft.Type

export const Used = Schema.Struct({
  operation_id: Schema.String,
  status: optional(Schema.Int.annotate({ description: "The HTTP status of the answer." })),
  content_type: optional(Schema.String),
  body_encoding: optional(
    Schema.Literals(["json", "text", "events", "block"]).annotate({
      description:
        "json: a JSON value. text: a string. events: the data of each event of a stream. block: a block of this result."
    })
  ),
  body: optional(Schema.Unknown.annotate({ description: "The answer." })),
  truncated: optional(Schema.Boolean.annotate({ description: "The answer was too large; body has a part of it." })),
  note: optional(text("How large an answer is that was truncated, and how to get the rest.")),
  replayed: optional(
    Schema.Boolean.annotate({ description: "The stored answer of an earlier call with this idempotency_key." })
  ),
  task: optional(TaskState),
  cost: optional(Cost),
  left: optional(SpendingLeft),
  limited_by_cap: optional(
    Schema.Boolean.annotate({
      description: "The answer was cut off where max_price_usd ends. A higher one allows more."
    })
  ),
  price: optional(Price),
  error: optional(ToolError),
  request_id: optional(Schema.String),
  limits: optional(Limits)
})
export type Used = typeof Used.Type & {
  /** The pictures, sounds, files and addresses of `body`. Clients get them as blocks. */
  readonly attached?: ReadonlyArray<Attached>
}

export const Batch = Schema.Struct({
  results: Schema.Array(Used).annotate({ description: "One for each call, in the order of the calls." }),
  succeeded: Schema.Int,
  failed: Schema.Int,
  charged_usd: text("What is known to have been charged, in USD."),
  held_usd: text("What calls that are pending or unknown may still be charged, at most, in USD."),
  left: optional(SpendingLeft),
  error: optional(ToolError),
  limits: optional(Limits)
})
export type Batch = typeof Batch.Type
