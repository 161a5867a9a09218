import type { UsageTotals } from "@tollgate/contract/resources/UsageReport"
import { Accounts, Usage, UsageSql } from "@tollgate/gateway"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CommandError } from "./CommandError.ts"
import { dayMillis, from, json, rejectKeyItself, to } from "./inputs.ts"
import { inStore } from "./inStore.ts"
import * as Print from "./print.ts"

const defaultDays = 30

const accountOrKeyId = Argument.String("id").pipe(
  Argument.withDescription("The id of an account or a key: acct_…, key_…"),
  rejectKeyItself
)

const ownerOf = Effect.fnUntraced(function* (id: string) {
  const accounts = yield* Accounts
  if (id.startsWith("acct_")) return { account: (yield* accounts.get(id)).id }
  const key = yield* accounts.getKey(id)
  return { account: key.account, key: key.id }
})

const columns: Readonly<Record<string, (of: UsageTotals) => string>> = {
  requests: (of) => String(of.requests),
  failed: (of) => String(of.failed_requests),
  input: (of) => String(of.input_tokens),
  output: (of) => String(of.output_tokens),
  "cache read": (of) => String(of.cache_read_tokens),
  "cache write": (of) => String(of.cache_write_tokens),
  value: (of) => Print.usd(of.usage_value_micros_usd),
  charged: (of) => Print.usd(of.charged_micros_usd)
}

interface Line extends UsageTotals {
  readonly day: string
}

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

const report = Effect.fnUntraced(function* (
  id: string,
  from: Option.Option<number>,
  to: Option.Option<number>,
  json: boolean
) {
  const now = yield* Clock.currentTimeMillis
  const start = Option.getOrElse(from, () => (Math.floor(now / dayMillis) - defaultDays + 1) * dayMillis)
  const found = yield* (yield* Usage).report(yield* ownerOf(id), {
    start_time: start / 1000,
    end_time: Option.getOrUndefined(Option.map(to, (day) => (day + dayMillis) / 1000))
  })
  if (json) return yield* Print.json(found)
  const lines: ReadonlyArray<Line> = [
    ...found.buckets.map((bucket) => ({ ...bucket, day: dayOf(bucket.start_time) })),
    { ...found.totals, day: "total" }
  ]
  yield* Print.table(lines, { day: ({ day }) => day, ...columns }, "")
})

export const usage = Command.make("usage", { id: accountOrKeyId, from, to, json }, ({ from, id, json, to }) =>
  inStore(
    report(id, from, to, json).pipe(
      Effect.provide(UsageSql.layer),
      Effect.catchTag("Refused", ({ refusal }) => Effect.fail(new CommandError({ message: refusal.message })))
    )
  )
).pipe(Command.withDescription("Show the usage of an account or a key by day in UTC; the last 30 days by default"))
