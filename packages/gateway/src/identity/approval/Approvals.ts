import type { BigMicroUsd } from "@tollgate/contract/Money"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import type { UsedApproval } from "../../exchange/Exchange.ts"
import type { Grant } from "../grant/Grants.ts"
import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import { make as makeRows, micros, number, numberOrNull, readerOf, type Row } from "@tollgate/ledger/store/rows"
import { text, textOrNull } from "@tollgate/ledger/store/rows"
import { Cipher } from "../crypto/Cipher.ts"

export type Decision = "yes" | "no"

const decisionIn = (row: Row): Decision | undefined => {
  const decision = textOrNull(row, "decision")
  return decision === "yes" || decision === "no" ? decision : undefined
}

const fieldsOf = readerOf({
  /** `ap_…` */
  id: text,
  account: text,
  grant: (row) => text(row, "grant_id"),
  operation: text,
  likely: micros,
  /** The most that the call may cost, if the person approves it. */
  most: micros,
  createdAt: number,
  /** Until then the person can decide, and the call can be made. */
  endsAt: number,
  /** `undefined`: nobody has decided. */
  decision: decisionIn,
  decidedAt: numberOrNull
})

export interface Approval extends ReturnType<typeof fieldsOf> {
  readonly request: string
  /** The call that was made with it. */
  readonly call: string | undefined
  /** A call without an idempotency key used it, and was not made: its gateway was killed. Nothing can use it again. */
  readonly isLost: boolean
}

/** Whether nobody can decide any more and the call cannot be made: its time is over, it was lost, or the grant has ended. */
export const isApprovalOver = (
  { endsAt, isLost }: Approval,
  grant: Pick<Grant, "ended"> | undefined,
  now: number
): boolean => endsAt <= now || isLost || grant?.ended !== false

/** What a person is asked. `digest` stands for the exact request. */
export type ApprovalRequest = Pick<Approval, "account" | "grant" | "operation" | "request" | "likely" | "most"> & {
  readonly digest: string
}

export interface Needing {
  readonly grant: string
  readonly digest: string
  readonly call: string
  /** The most that it can cost. */
  readonly most: BigMicroUsd
  /** The id of its idempotency key. A repeat with the same one uses the same approval: the ledger runs the call once. */
  readonly idempotency: string | undefined
}

export class Approvals extends Context.Service<
  Approvals,
  {
    /** Asks the person, or finds that the same was asked. `none`: too many calls of this grant wait for a decision, or too long ones. */
    readonly ask: (asked: ApprovalRequest) => Effect.Effect<Option.Option<Approval>, SqlError>
    /** Uses an approval for this call, which no other call can then use. `none`: there is none. */
    readonly take: (needing: Needing) => Effect.Effect<Option.Option<UsedApproval>, SqlError>
    /** Records the call that was made with an approval, if another one used it first. */
    readonly made: (used: UsedApproval, call: string) => Effect.Effect<void, SqlError>
    /**
     * The call was refused after all, so that the approval can be used again. One with an idempotency key keeps its approval: a repeat can
     * use it, and another call with that key may be running.
     */
    readonly giveBack: (call: string) => Effect.Effect<void, SqlError>
    readonly find: (id: string) => Effect.Effect<Option.Option<Approval>, SqlError>
    /** Of an account: those that wait first, then the newest. */
    readonly list: (account: string) => Effect.Effect<ReadonlyArray<Approval>, SqlError>
    /** The first decision counts. Returns what was decided; `none`: it has ended. Whose it is the caller has to check. */
    readonly decide: (id: string, decision: Decision) => Effect.Effect<Option.Option<Decision>, SqlError>
    /** Waits for the decision. `none`: the time to decide is over, or access was taken back. */
    readonly decided: (id: string) => Effect.Effect<Option.Option<Decision>, SqlError>
  }
>()("@tollgate/gateway/Approvals") {
  static readonly layer: Layer.Layer<Approvals, never, SqlClient | Cipher | SecureRandom> = Layer.suspend(() =>
    Layer.effect(Approvals, make)
  )
}

/** Time to decide, and then time to make the call. */
const lifetimeMillis = 15 * 60_000
const dayMillis = 86_400_000
/** What was decided stays on record. What nobody decided is kept for a day, so that its page can say so. */
const recordMillis = 30 * dayMillis
/** Of one grant, without a decision. */
const mostWaiting = 20
/** Of one grant in a day, without a decision: a request may be long. */
const mostBytes = 64 * 1024 * 1024
const mostListed = 50
/** The page may be on another gateway, so waiting calls read the store. */
const pollMillis = 1_000

const allColumns =
  "SELECT id, account, grant_id, operation, request, likely, most, created_at, ends_at, decision, decided_at, used_by, idempotency" +
  " FROM approvals"

const sealContext = (id: string): string => `approval ${id}`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const cipher = yield* Cipher
  const random = yield* SecureRandom
  const rows = makeRows(sql)
  const columns = rows.literal(allColumns)
  const query: typeof rows.query = (text, ...values) => doesNotTouchLedger(rows.query(text, ...values))

  const approvalOf = Effect.fnUntraced(function* (row: Row, made: ReadonlySet<string> = new Set()) {
    const fields = fieldsOf(row)
    const usedBy = textOrNull(row, "used_by")
    const call = usedBy !== null && made.has(usedBy) ? usedBy : undefined
    const request = yield* cipher.open(row["request"] as Uint8Array, sealContext(fields.id))
    const approval: Approval = {
      ...fields,
      request: Option.match(request, { onNone: () => "", onSome: Redacted.value }),
      call,
      isLost: usedBy !== null && call === undefined && text(row, "idempotency") === ""
    }
    return approval
  })

  /** The calls that used approvals and are in the ledger. A call that is not there was not made. */
  const madeWith = (column: "id" | "account", value: string) =>
    Effect.map(
      rows.query`SELECT c.id FROM calls c JOIN approvals a ON a.used_by = c.id
        WHERE a.${rows.literal(column)} = ${value} AND c.state NOT IN ('refused', 'replayed')`,
      (found) => new Set(found.map((row) => text(row, "id")))
    )

  const rowOf = (id: string) => Effect.map(query`${columns} WHERE id = ${id}`, ([row]) => row)

  return Approvals.of({
    ask: Effect.fnUntraced(function* ({ account, digest, grant, likely, most, operation, request }) {
      const now = yield* Clock.currentTimeMillis
      // Two that ask at once ask once, and the number of those that wait is exact.
      yield* rows.lockName(`approvals ${grant}`)
      const [waiting] = yield* query`${columns} WHERE grant_id = ${grant} AND decision IS NULL AND ends_at > ${now}
        AND digest = ${digest} AND most = ${most}`
      if (waiting !== undefined) return Option.some(yield* approvalOf(waiting))
      yield* query`DELETE FROM approvals WHERE ends_at <= ${now - recordMillis}
        OR (decision IS NULL AND ends_at <= ${now - dayMillis})`
      const [{ bytes = 0, count = 0 } = {}] =
        yield* query`SELECT SUM(CASE WHEN ends_at > ${now} THEN 1 ELSE 0 END) AS count,
        SUM(LENGTH(request)) AS bytes FROM approvals WHERE grant_id = ${grant} AND decision IS NULL`
      if (Number(count) >= mostWaiting || Number(bytes) >= mostBytes) return Option.none()
      const id = `ap_${Hex.encode(yield* random.randomBytes(16))}`
      const sealed = yield* cipher.seal(Redacted.make(request), sealContext(id))
      yield* doesNotTouchLedger(
        rows.insert(
          "approvals",
          ["id", "account", "grant_id", "digest", "operation", "request", "likely", "most", "created_at", "ends_at"],
          [[id, account, grant, digest, operation, sealed, likely, most, now, now + lifetimeMillis]]
        )
      )
      const row = yield* rowOf(id)
      return row === undefined ? Option.none() : Option.some(yield* approvalOf(row))
    }, sql.withTransaction),

    take: Effect.fnUntraced(function* ({ call, digest, grant, idempotency = "", most }) {
      const now = yield* Clock.currentTimeMillis
      const [taken] =
        yield* query`UPDATE approvals SET used_by = COALESCE(used_by, ${call}), idempotency = ${idempotency}
        WHERE id = (SELECT id FROM approvals WHERE grant_id = ${grant} AND digest = ${digest} AND decision = 'yes'
          AND ends_at > ${now} AND most >= ${most}
          AND (used_by IS NULL OR (idempotency <> '' AND idempotency = ${idempotency})) ORDER BY most LIMIT 1)
        AND (used_by IS NULL OR (idempotency <> '' AND idempotency = ${idempotency})) RETURNING id, used_by`
      return Option.fromUndefinedOr(taken && { id: text(taken, "id"), by: text(taken, "used_by") })
    }),

    made: ({ by, id }, call) =>
      by === call ? Effect.void : Effect.asVoid(query`UPDATE approvals SET used_by = ${call} WHERE id = ${id}`),

    giveBack: (call) =>
      Effect.asVoid(
        query`UPDATE approvals SET used_by = NULL, idempotency = NULL WHERE used_by = ${call} AND idempotency = ''`
      ),

    find: Effect.fnUntraced(function* (id) {
      const row = yield* rowOf(id)
      return row === undefined ? Option.none() : Option.some(yield* approvalOf(row, yield* madeWith("id", id)))
    }),

    list: Effect.fnUntraced(function* (account) {
      const now = yield* Clock.currentTimeMillis
      const found = yield* query`${columns} WHERE account = ${account} ORDER BY
        CASE WHEN decision IS NULL AND ends_at > ${now} THEN 0 ELSE 1 END, created_at DESC, id LIMIT ${mostListed}`
      const made = yield* madeWith("account", account)
      return yield* Effect.forEach(found, (row) => approvalOf(row, made))
    }),

    decide: Effect.fnUntraced(function* (id, decision) {
      const now = yield* Clock.currentTimeMillis
      yield* query`UPDATE approvals SET decision = ${decision}, decided_at = ${now}, ends_at = ${now + lifetimeMillis}
        WHERE id = ${id} AND decision IS NULL AND ends_at > ${now}`
      const [row] = yield* query`SELECT decision FROM approvals WHERE id = ${id}`
      return Option.fromUndefinedOr(row && decisionIn(row))
    }),

    decided: Effect.fnUntraced(function* (id) {
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        const [row] = yield* query`SELECT a.decision FROM approvals a JOIN keys k ON k.id = a.grant_id
          WHERE a.id = ${id} AND a.ends_at > ${now} AND k.ended = 0 AND k.ends_at > ${now}`
        if (row === undefined) return Option.none()
        const decision = decisionIn(row)
        if (decision !== undefined) return Option.some(decision)
        yield* Effect.sleep(pollMillis)
      }
    })
  })
})
