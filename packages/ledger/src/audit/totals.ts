import { micro, type BigMicroUsd } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import type * as Rows from "../store/rows.ts"
import { amount } from "../store/rows.ts"

export interface Totals {
  readonly accounts: bigint
  /** Without grants. */
  readonly keys: bigint
  readonly grants: bigint
  readonly calls: bigint
  /** The sum of payments, credits and debits. */
  readonly entered: BigMicroUsd
  readonly charged: BigMicroUsd
  /** What calls cost beyond the caps of their callers. */
  readonly loss: BigMicroUsd
  readonly balance: BigMicroUsd
  readonly reserved: BigMicroUsd
}

const sum = (column: string, table: string): string => `(SELECT COALESCE(SUM(${column}), 0) FROM ${table})`
const count = (rows: string): string => `(SELECT COUNT(*) FROM ${rows})`

const select =
  `SELECT ${count("accounts")} AS accounts, ${count("keys WHERE is_grant = 0")} AS keys,` +
  ` ${count("keys WHERE is_grant = 1")} AS grants, ${count("calls")} AS calls,` +
  ` ${sum("amount", "entries")} AS entered, ${sum("charged", "calls")} AS charged,` +
  ` ${sum("loss", "calls")} AS loss,` +
  ` ${sum("balance", "accounts")} AS balance, ${sum("reserved", "accounts")} AS reserved`

export const totals = (rows: ReturnType<typeof Rows.make>) =>
  Effect.map(rows.run(select, []), ([row = {}]): Totals => ({
    accounts: amount(row, "accounts"),
    keys: amount(row, "keys"),
    grants: amount(row, "grants"),
    calls: amount(row, "calls"),
    entered: micro(amount(row, "entered")),
    charged: micro(amount(row, "charged")),
    loss: micro(amount(row, "loss")),
    balance: micro(amount(row, "balance")),
    reserved: micro(amount(row, "reserved"))
  }))
