import * as UsageTotals from "@tollgate/ledger/ledger/UsageTotals"
import * as Rows from "@tollgate/ledger/store/rows"
import * as Statements from "@tollgate/ledger/store/statements"
import { TestGateway } from "../TestGateway.ts"
import * as Effect from "effect/Effect"

export interface EndedCall {
  readonly account: string
  readonly key: string
  readonly at: number
  /** Default: `rerank`. */
  readonly operation?: string
  readonly model?: string
  readonly state: "settled" | "released" | "unknown"
  readonly tokens: readonly [bigint, bigint, bigint, bigint]
  readonly value: bigint
  readonly charged: bigint
}

const columns = [
  "id",
  "account",
  "key",
  "operation",
  "model",
  "state",
  "reserved",
  "created_at",
  "owner",
  "ended_at",
  "value",
  "charged",
  "charged_nano",
  "failed",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens"
]

let count = 0

/** Writes ended calls and their usage totals as the ledger does. Balances stay as they are. */
export const insertEnded = Effect.fnUntraced(function* (calls: ReadonlyArray<EndedCall>) {
  const { sql } = yield* TestGateway
  const rows = Rows.make(sql)
  const write = Effect.gen(function* () {
    yield* rows.insert(
      "calls",
      columns,
      calls.map(({ account, at, charged, key, model, operation = "rerank", state, tokens, value }) => [
        `call_${count++}`,
        account,
        key,
        operation,
        model ?? null,
        state,
        charged,
        at,
        "test",
        at,
        value,
        charged,
        charged * 1000n,
        state === "settled" ? 0 : 1,
        ...tokens
      ])
    )
    const added = UsageTotals.add(
      Statements.make(sql),
      calls.map(({ account, at, charged, key, model = "", operation = "rerank", state, tokens, value }) => ({
        account,
        key,
        at,
        operation,
        model,
        requests: 1n,
        failed_requests: state === "settled" ? 0n : 1n,
        input_tokens: tokens[0],
        output_tokens: tokens[1],
        cache_read_tokens: tokens[2],
        cache_write_tokens: tokens[3],
        value,
        charged
      }))
    )
    for (const { text, values } of added) yield* rows.run(text, values)
  })
  yield* sql.withTransaction(write)
})
