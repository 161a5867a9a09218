import type { Amount } from "@tollgate/contract/account/Amount"
import type { UsageTotals } from "@tollgate/contract/resources/UsageReport"
import { Accounts, Usage, UsageSql } from "@tollgate/gateway"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Print from "../terminal/print.ts"
import { dayMillis, from, json, rejectKeyItself, to, argument } from "./inputs.ts"
import { inStore } from "./inStore.ts"

const defaultDays = 30

const By = Schema.String.check(
  Schema.isPattern(/^(?:account|operation|model|upstream|tag(?::[a-z0-9][a-z0-9_.-]{0,31})?)$/, {
    expected: "account, operation, model, upstream, tag, or tag: and the name of a tag"
  })
)

const accountOrKeyId = argument("id", "The id of an account or a key: acct_…, key_…").pipe(
  rejectKeyItself,
  Argument.optional
)

const by = Flag.String("by").pipe(
  Flag.withDescription(
    "account, operation, model, upstream: what they were charged, cost and earned; tag: by the names of tags; tag:team: by the values of the tag team"
  ),
  Flag.withSchema(By),
  Flag.optional
)

const ownerOf = Effect.fnUntraced(function* (id: string) {
  const accounts = yield* Accounts
  if (id.startsWith("acct_")) return { account: (yield* accounts.get(id)).id }
  const key = yield* accounts.getKey(id)
  return { account: key.account, key: key.id }
})

const columns: Readonly<Record<string, (of: UsageTotals) => string>> = {
  calls: (of) => String(of.requests),
  failed: (of) => String(of.failed_requests),
  input: (of) => String(of.input_tokens),
  output: (of) => String(of.output_tokens),
  "cache read": (of) => String(of.cache_read_tokens),
  "cache write": (of) => String(of.cache_write_tokens),
  "list price": (of) => Print.usd(of.usage_value_micros_usd),
  charged: (of) => Print.usd(of.charged_micros_usd)
}

const idRequired = Print.fail("Give the id of an account or a key, or --by account or --by tag for all of them.")

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

interface UsageOptions {
  readonly id: Option.Option<string>
  readonly by: Option.Option<string>
  readonly from: Option.Option<number>
  readonly to: Option.Option<number>
  readonly json: boolean
}

const windowOf = Effect.fnUntraced(function* ({ from, to }: UsageOptions) {
  const now = yield* Clock.currentTimeMillis
  const start = Option.getOrElse(from, () => (Math.floor(now / dayMillis) - defaultDays + 1) * dayMillis)
  return {
    start_time: start / 1000,
    end_time: Option.getOrUndefined(Option.map(to, (day) => (day + dayMillis) / 1000))
  }
})

const reportByTag = Effect.fnUntraced(function* (asked: UsageOptions, by: string) {
  const { id, json } = asked
  const owner = Option.isSome(id) ? yield* ownerOf(id.value) : {}
  const tag = by === "tag" ? undefined : by.slice("tag:".length)
  const found = yield* (yield* Usage).byTag(owner, { ...(yield* windowOf(asked)), width: "1d", tag })
  if (json) return yield* Print.json(found)
  const groups = found.groups.map(({ label, totals }) => ({ ...totals, label }))
  const lines = found.totals === null ? groups : [...groups, { ...found.totals, label: "total" }]
  yield* Print.table(lines, { [tag ?? "tag"]: ({ label }) => label, ...columns }, "No call has a tag.")
})

const usdOf = (micros: Amount): string => Print.usd(BigInt(micros))

const reportMargin = Effect.fnUntraced(function* (asked: UsageOptions, by: string) {
  const { account } = Option.isSome(asked.id) ? yield* ownerOf(asked.id.value) : { account: undefined }
  const { end_time, start_time } = yield* windowOf(asked)
  const found = yield* (yield* Usage).margin({
    start_time,
    ...(end_time === undefined ? {} : { end_time }),
    ...(account === undefined ? {} : { account })
  })
  if (asked.json) return yield* Print.json(found)
  const groups = { account: found.by_account, operation: found.by_operation, model: found.by_model }[by]
  const lines = [...(groups ?? found.by_upstream), { label: "total", totals: found.totals }]
  yield* Print.table(
    lines,
    {
      [by]: ({ label }) => label,
      charged: ({ totals }) => usdOf(totals.charged_micros_usd),
      cost: ({ totals }) => usdOf(totals.cost_micros_usd),
      margin: ({ totals }) => usdOf(totals.margin_micros_usd),
      "without cost": ({ totals }) => usdOf(totals.without_cost_micros_usd)
    },
    ""
  )
})

const report = Effect.fnUntraced(function* (asked: UsageOptions) {
  const { by, id, json } = asked
  if (Option.isSome(by)) {
    return yield* by.value.startsWith("tag") ? reportByTag(asked, by.value) : reportMargin(asked, by.value)
  }
  if (Option.isNone(id)) return yield* idRequired
  const found = yield* (yield* Usage).report(yield* ownerOf(id.value), yield* windowOf(asked))
  if (json) return yield* Print.json(found)
  const days = found.buckets.map((bucket) => ({ ...bucket, day: dayOf(bucket.start_time) }))
  const lines = [...days, { ...found.totals, day: "total" }]
  yield* Print.table(lines, { day: ({ day }) => day, ...columns }, "")
})

export const usage = Command.make("usage", { id: accountOrKeyId, by, from, to, json }, (asked) =>
  inStore(
    report(asked).pipe(
      Effect.provide(UsageSql.layer),
      Effect.catchTag("Refused", ({ refusal }) => Print.fail(refusal.message))
    )
  )
).pipe(
  Command.withDescription(
    "Show the usage of an account or a key by day in UTC, by tag, or who spent it and what it earned; the last 30 days by default"
  ),
  Command.withShortDescription("Show the usage of an account or a key, by day or tag")
)
