import { Outcome } from "@tollgate/contract/Outcome"
import * as Schema from "effect/Schema"
import type { Attached } from "./media.ts"

// What the tools return.

const optional = Schema.optionalKey

const Window = Schema.Struct({
  limit: optional(Schema.Int),
  remaining: optional(Schema.Int),
  /** Unix seconds. */
  reset: optional(Schema.Int)
})

/** What is left of the key's limits in this minute. */
const Limits = Schema.Struct({ requests: optional(Window), tokens: optional(Window) })

export const ToolError = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  what_to_do: Schema.String,
  /** Whether the call ran. `unknown`: it may have run and may be charged. */
  outcome: Outcome,
  /**
   * `safe`: nothing ran, the same call can be sent again and is not paid twice. `after_change`: nothing ran, change the call first.
   * `same_key_only`: send it again only with the same idempotency_key and arguments. `never`: do not send it again.
   */
  repeat: Schema.Literals(["safe", "after_change", "same_key_only", "never"]),
  retry_after_seconds: optional(Schema.Int),
  /** The field that is wrong. */
  param: optional(Schema.String)
})
export type ToolError = typeof ToolError.Type

const Price = Schema.Struct({
  estimate_usd: Schema.String,
  max_usd: Schema.String,
  estimate_micros_usd: Schema.Int,
  max_micros_usd: Schema.Int,
  price_contract: Schema.String,
  basis: Schema.String
})
export type Price = typeof Price.Type

const Cost = Schema.Struct({
  /** `none`: not charged. `pending`: charged later. `unknown`: may have been charged. */
  state: Schema.Literals(["settled", "estimated", "pending", "none", "unknown"]),
  usd: optional(Schema.String),
  micros_usd: optional(Schema.Int)
})
export type Cost = typeof Cost.Type

const TaskState = Schema.Struct({
  task_id: Schema.String,
  status: Schema.String,
  done: Schema.Boolean,
  /** A free operation to use until `done` is true. */
  next: optional(Schema.Struct({ operation_id: Schema.String, arguments: Schema.Record(Schema.String, Schema.String) }))
})

const AvailableSpending = Schema.Struct({
  usd: Schema.String,
  /** The limit that is reached first. */
  of: Schema.Literals([
    "grant_this_day",
    "grant_this_month",
    "grant",
    "key_this_day",
    "key_this_month",
    "key",
    "account"
  ])
})
export type AvailableSpending = typeof AvailableSpending.Type

export const Used = Schema.Struct({
  operation_id: Schema.String,
  /** The HTTP status of the answer. */
  status: optional(Schema.Int),
  content_type: optional(Schema.String),
  /** `events`: the data of each event of a stream. `block`: a block of this result. */
  body_encoding: optional(Schema.Literals(["json", "text", "events", "block"])),
  body: optional(Schema.Unknown),
  /** `body` has a part of the answer. */
  truncated: optional(Schema.Boolean),
  note: optional(Schema.String),
  /** The stored answer of an earlier call with this idempotency key. */
  replayed: optional(Schema.Boolean),
  task: optional(TaskState),
  cost: optional(Cost),
  left: optional(AvailableSpending),
  /** The answer was cut off where the cap ends. */
  limited_by_cap: optional(Schema.Boolean),
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
  /** One for each call, in the order of the calls. */
  results: Schema.Array(Used),
  succeeded: Schema.Int,
  failed: Schema.Int,
  charged_usd: Schema.String,
  /** The most that calls whose charge is not known yet may cost. */
  held_usd: Schema.String,
  left: optional(AvailableSpending),
  error: optional(ToolError),
  limits: optional(Limits)
})
export type Batch = typeof Batch.Type
