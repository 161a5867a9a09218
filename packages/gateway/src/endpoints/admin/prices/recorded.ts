import { type BigMicroUsd, micro, nano } from "@tollgate/contract/Money"
import { contractOf, settle, settleCached } from "@tollgate/contract/price/contracts"
import type { Evidence } from "@tollgate/contract/price/evidence"
import { familyOf, findModel } from "@tollgate/contract/price/modelFamily"
import { isByModel, type ModelPrice, modelsOf, type Multiplier, one, type Price } from "@tollgate/contract/price/Price"
import * as Option from "effect/Option"
import { upToCap } from "@tollgate/ledger/ledger/Settled"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { amount, amountOrNull, number, type Row, type Rows, text } from "@tollgate/ledger/store/rows"
import type { Window } from "@tollgate/ledger/usage/Query"

/** The price of an operation, by its id, and model. `undefined`: there is no such operation. */
export type FindPrice = (operation: string, model: string | undefined) => Price | undefined

export interface RecordedCall {
  readonly operation: string
  /** When it began. */
  readonly at: number
  readonly evidence: Evidence | undefined
  /** Of a call that got a kept answer, whose evidence is that of the first call. */
  readonly share?: Multiplier | undefined
  readonly cap: BigMicroUsd | undefined
  readonly multiplier: Multiplier
}

/** The price of a part is that of its model. Upstreams may report its maker too. */
const partPrice = (find: FindPrice, operation: string, model: string): ModelPrice | undefined =>
  findModel(modelsOf(find(operation, model)), model) ??
  findModel(modelsOf(find(operation, familyOf(model))), familyOf(model))

const priceFor = (find: FindPrice, { at, evidence, operation }: RecordedCall): Price | undefined => {
  const model = evidence?.kind === "model" ? evidence : undefined
  const price = find(operation, model?.model)
  if (price === undefined) return undefined
  const models: Record<string, ModelPrice> = { ...modelsOf(price) }
  for (const part of model?.parts ?? []) {
    const own = Object.hasOwn(models, part.model) ? undefined : partPrice(find, operation, part.model)
    if (own !== undefined) models[part.model] = own
  }
  const all = isByModel(price) ? { ...price, models } : price
  return contractOf(all).at?.(all, at) ?? all
}

/** What the call would cost at these prices. `undefined`: what is recorded does not tell. */
export const recompute = (
  call: RecordedCall,
  find: FindPrice
): { readonly value: BigMicroUsd; readonly charged: BigMicroUsd } | undefined => {
  const { cap, evidence, multiplier, share } = call
  const price = priceFor(find, call)
  if (evidence === undefined || price === undefined) return undefined
  const { forRecorded } = contractOf(price)
  const own = forRecorded === undefined ? price : forRecorded(price, evidence)
  const full = own && Option.getOrUndefined(settle(own, evidence, share === undefined ? multiplier : one))
  const settlement =
    full === undefined || share === undefined ? full : settleCached(full.chargedNano, share, multiplier)
  return settlement && { value: settlement.value, charged: micro(upToCap(settlement.charged, cap)) }
}

/** As `JSON.stringify` writes it into the ledger: amounts are digits. */
type Written =
  | Exclude<Evidence, { readonly kind: "task" }>
  | (Omit<Extract<Evidence, { readonly kind: "task" }>, "reported"> & { readonly reported?: string })

/** Of a call that got a kept answer: the first call's evidence, and the share of its price. */
interface Kept {
  readonly kind: "kept"
  readonly share: string
  readonly of: Written
}

const evidenceOf = (written: Written): Evidence => {
  if (written.kind !== "task") return written
  const { reported, ...task } = written
  return reported === undefined ? task : { ...task, reported: nano(BigInt(reported)) }
}

/** `undefined`: the ledger has none. */
export const readEvidence = (text: string | null): Pick<RecordedCall, "evidence" | "share"> => {
  if (text === null) return { evidence: undefined }
  const written = JSON.parse(text) as Written | Kept
  return written.kind === "kept"
    ? { evidence: evidenceOf(written.of), share: BigInt(written.share) }
    : { evidence: evidenceOf(written) }
}

export interface SettledCall extends RecordedCall {
  readonly value: bigint
  readonly charged: bigint
}

const page = 500
const columns = "id, operation, state, value, charged, cap, evidence, created_at, ended_at"

/** Continue after this time, and at this time after this id. */
type Cursor = readonly [at: number, id: string]

const settledCallOf = (row: Row, multiplier: bigint): SettledCall => {
  const cap = amountOrNull(row, "cap")
  return {
    operation: text(row, "operation"),
    at: number(row, "created_at"),
    value: amount(row, "value"),
    charged: amount(row, "charged"),
    cap: cap === null ? undefined : micro(cap),
    ...readEvidence(row.evidence === null ? null : text(row, "evidence")),
    multiplier
  }
}

/** The settled calls that ended in the window, one account after the other: the index on time starts with the account. */
export const settledCalls = (rows: Rows, { end, start }: Window): Stream.Stream<SettledCall, SqlError> => {
  // Pages are of all calls: one of settled calls alone could read any number of others.
  const ofAccount = (account: string, multiplier: bigint) =>
    Stream.paginate<Cursor, SettledCall, SqlError>([start, ""], ([at, id]) => {
      const ended = rows.query`SELECT ${rows.literal(columns)} FROM calls WHERE account = ${account}
        AND ended_at >= ${at} AND ended_at < ${end} AND (ended_at, id) > (${at}, ${id}) ORDER BY ended_at, id LIMIT ${page}`
      const found = Effect.map(ended, (rows) => {
        const last = rows.length < page ? undefined : rows.at(-1)
        const next = last && ([number(last, "ended_at"), text(last, "id")] as const)
        const settled = rows.filter((row) => row.state === "settled")
        return [settled.map((row) => settledCallOf(row, multiplier)), Option.fromUndefinedOr(next)] as const
      })
      // A page may take milliseconds, and the gateway serves calls in between.
      return Effect.andThen(Effect.yieldNow, found)
    })
  return Stream.fromIterableEffect(rows.run("SELECT id, multiplier FROM accounts ORDER BY id", [])).pipe(
    Stream.flatMap((account) => ofAccount(text(account, "id"), amount(account, "multiplier")))
  )
}
