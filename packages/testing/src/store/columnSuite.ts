import { describe, expect, it } from "@effect/vitest"
import { micro, nano } from "@tollgate/contract/Money"
import { listWords, operatorWords, storyWords } from "@tollgate/contract/callWords"
import { CallLog, CallLogSql, Ledger, LedgerSql, UsageLog } from "@tollgate/gateway"
import { callColumns } from "@tollgate/ledger/ledger/callColumns"
import type { Settled } from "@tollgate/ledger/ledger/Ledger"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { exchange, funded, ledgerOn } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"
import { query } from "./query.ts"

const day = 86_400_000

/** No two values of the row are equal, so a column that is left out, or takes the value of another, shows. */
const settled: Settled = {
  settlement: { value: micro(9_001n), charged: micro(8_003n), chargedNano: nano(8_002_600n) },
  costState: "estimated",
  answer: { status: 201, contentType: undefined, bytes: new Uint8Array() },
  evidence: '{"kind":"tokens","total":50}',
  failed: true,
  gaps: ["tiers.turbo"],
  cost: nano(1_234_567n),
  usage: { input: 11, output: 12, cacheRead: 13, cacheWrite: 14 }
}
const tried = [{ upstream: "first", outcome: "busy" }]
const error = { code: "odd_answer", message: "It was odd." }

const expected = (account: string, key: string, id: string) => ({
  id,
  account,
  key,
  operation: "rerank",
  model: "m-1",
  tags: '{"team":"search"}',
  state: "settled",
  reserved: 6_000,
  cap: 7_000,
  created_at: day + 5,
  owner: expect.any(String),
  ended_at: 1_000,
  status: 201,
  failed: 1,
  value: 9_001,
  charged: 7_000,
  charged_nano: 7_000_000,
  loss: 1_003,
  loss_nano: 1_002_600,
  quota_at: day,
  cost_state: "estimated",
  evidence: settled.evidence,
  input_tokens: 11,
  output_tokens: 12,
  cache_read_tokens: 13,
  cache_write_tokens: 14,
  upstream: "second",
  tried: JSON.stringify(tried),
  gaps: '["tiers.turbo"]',
  cost_nano: 1_234_567,
  error: "odd_answer It was odd."
})

/** Settles a call of which every column has a value. `isOrdinary`: it counts towards the quota when it ends. */
const settleAll = Effect.fnUntraced(function* (id: string, isOrdinary: boolean) {
  const { account, accounts, key } = yield* funded
  yield* accounts.changeKey(key, { dayBudget: micro(1_000_000n) })
  const ledger = yield* Ledger
  yield* TestClock.setTime(day + 5)
  const call = { ...exchange(account, key, 6_000, id, 7_000, "m-1"), tags: { team: "search" } }
  const reserved = yield* ledger.reserve(call, undefined)
  if (reserved.kind !== "reserved") return yield* Effect.die(reserved.kind)
  if (isOrdinary) yield* TestClock.adjust(1)
  else yield* TestClock.setTime(1_000)
  yield* ledger.settle(reserved.reservation, settled, { provider: "second", tried, error })
  const row = expected(account, key, id)
  return { account, row: isOrdinary ? { ...row, ended_at: day + 6, quota_at: null } : row }
})

export const columnSuite = ({ shared }: Driver): void => {
  describe("every column of a call", () => {
    for (const isOrdinary of [true, false]) {
      it.effect(
        `is read as it was settled, also after a crash (${isOrdinary ? "at once" : "the clock went back"})`,
        () => {
          const connect = shared()
          return Effect.gen(function* () {
            const { row } = yield* settleAll("call_columns", isOrdinary)
            // As the next process finds them: a journal is still to be moved into the tables.
            const found = yield* Effect.provide(
              Effect.andThen(LedgerSql.checkpoint, query("SELECT * FROM calls")),
              connect()
            )
            expect(found).toEqual([row])
            expect(Object.keys(row)).toEqual(Object.keys(callColumns))
          }).pipe(Effect.provide(ledgerOn(connect())))
        }
      )
    }

    it.effect("is shown to those who may see it, with words for people, and to nobody else", () =>
      Effect.gen(function* () {
        const { account } = yield* settleAll("call_shown", true)
        const log = yield* CallLog
        const [listed] = (yield* log.calls({ account }, {})).calls
        const story = yield* log.story({ account }, "call_shown")
        const operators = yield* log.operatorStory(account, "call_shown")
        const [exported] = yield* Stream.runCollect(UsageLog.stream())
        const namesTo = (...readers: ReadonlyArray<string>) =>
          Object.entries(callColumns).flatMap(([name, column]) =>
            readers.includes(column.to) ? ["as" in column ? column.as : name] : []
          )
        const sorted = (of: object | undefined) => Object.keys(of ?? {}).toSorted()
        const extra = ["key_label", "kept", "refunded_micros_usd"]
        expect(sorted(listed)).toEqual([...namesTo("list"), ...extra].toSorted())
        expect(sorted(story)).toEqual(
          [...namesTo("list", "story"), ...extra, "idempotency", "refund", "task"].toSorted()
        )
        const all = [...namesTo("list", "story", "operator"), "kept", "margin_nano_usd"]
        expect(sorted(exported)).toEqual(all.toSorted())
        expect(sorted(operators)).toEqual(
          [...all, ...extra.filter((name) => name !== "kept"), "idempotency", "refund", "task"].toSorted()
        )
        expect(sorted(listWords)).toEqual(sorted(listed))
        expect(sorted({ ...listWords, ...storyWords })).toEqual(sorted(story))
        expect(sorted({ ...listWords, ...storyWords, ...operatorWords })).toEqual(sorted(operators))
        expect(operators).toMatchObject({ ...story, cost_nano_usd: "1234567", margin_nano_usd: "5765433" })
        expect(story).toMatchObject({
          ...listed,
          status: 201,
          failed: true,
          cost_state: "estimated",
          reserved_micros_usd: 6_000,
          cap_micros_usd: 7_000,
          value_micros_usd: 9_001,
          charged_micros_usd: 7_000,
          charged_nano_usd: "7000000",
          loss_micros_usd: 1_003,
          loss_nano_usd: "1002600",
          input_tokens: 11,
          output_tokens: 12,
          cache_read_tokens: 13,
          cache_write_tokens: 14,
          evidence: { kind: "tokens", total: 50 },
          tags: { team: "search" },
          gaps: ["tiers.turbo"],
          tried,
          error
        })
        expect(exported).toMatchObject({
          account,
          charged_micros_usd: 7_000n,
          input_tokens: 11n,
          evidence: settled.evidence,
          tags: "team=search",
          cost_nano_usd: 1_234_567n
        })
      }).pipe(Effect.provide(Layer.provideMerge(CallLogSql.layer, ledgerOn(shared()()))))
    )
  })
}
