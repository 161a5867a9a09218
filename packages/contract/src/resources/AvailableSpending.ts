import * as Schema from "effect/Schema"
import { MicroUsd } from "../Money.ts"
import { Open } from "../Open.ts"

const Rate = Schema.NullOr(Open({ limit: Schema.Int, remaining: Schema.Int }))

/** What a credential may still spend and send. */
export const AvailableSpending = Open({
  currency: Schema.String,
  spendable_usd: Schema.String.annotate({
    description: "What a call may cost now: the least of balance, budget and quota, without what is reserved."
  }),
  spendable_micros_usd: MicroUsd,
  balance_usd: Schema.NullOr(Schema.String).annotate({
    description: "`null` for a credential with its own budget or quota. It sees only what it may spend itself."
  }),
  budget: Schema.NullOr(Open({ limit_usd: Schema.String, left_usd: Schema.String })).annotate({
    description: "The most that the credential may spend in total."
  }),
  quota: Schema.NullOr(
    Open({
      limit_usd: Schema.String,
      left_usd: Schema.String,
      period: Schema.String,
      ends_at: Schema.Int.annotate({ format: "int64", title: "Unix seconds" })
    })
  ).annotate({ description: "The most that the credential may spend in each period." }),
  requests: Rate.annotate({ description: "Requests of this minute. `null`: they are not limited." }),
  tokens: Rate.annotate({ description: "Tokens of this minute. `null`: they are not limited." })
}).annotate({ identifier: "AvailableSpending" })
export interface AvailableSpending extends Schema.Schema.Type<typeof AvailableSpending> {}
