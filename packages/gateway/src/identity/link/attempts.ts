import * as Utf8 from "@tollgate/contract/Utf8"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Cipher } from "../crypto/Cipher.ts"
import * as Rows from "@tollgate/ledger/store/rows"
import { number, text } from "@tollgate/ledger/store/rows"

export const lifetimeMillis = 600_000

/** Per owner. Starting another deletes the oldest. */
const maxAttempts = 20

const sealContext = (state: string) => `link verifier ${state}`

/** Links that wait for the user to approve. The store holds the state hashed and the verifier encrypted. */
export const make = (sql: SqlClient, cipher: Cipher["Service"], digest: Digest.Digest["Service"]) => {
  const rows = Rows.make(sql)
  const { mark } = rows
  const hashOf = (state: string) => digest.digestHex(Digest.sha256, Utf8.encode(state))

  const create = Effect.fnUntraced(function* (
    attempt: {
      readonly state: string
      readonly owner: string
      readonly scopes: ReadonlyArray<string>
      readonly verifier: Redacted.Redacted
    },
    now: number
  ) {
    const { owner } = attempt
    const state = yield* hashOf(attempt.state)
    const verifier = yield* cipher.seal(attempt.verifier, sealContext(state))
    yield* rows.run(`DELETE FROM link_attempts WHERE ends_at <= ${mark(1)}`, [now])
    yield* Effect.gen(function* () {
      // For other gateways: of two attempts at once, neither would count the other.
      yield* rows.lockName(`tollgate link attempt ${owner}`)
      yield* rows.run(
        `DELETE FROM link_attempts WHERE owner = ${mark(1)} AND state NOT IN` +
          ` (SELECT state FROM link_attempts WHERE owner = ${mark(2)} ORDER BY ends_at DESC LIMIT ${maxAttempts - 1})`,
        [owner, owner]
      )
      yield* rows.insert(
        "link_attempts",
        ["state", "owner", "scopes", "verifier", "ends_at"],
        [[state, owner, attempt.scopes.join(" "), verifier, now + lifetimeMillis]]
      )
    }).pipe(sql.withTransaction)
  })

  /** Deletes the attempt and returns it, so that a state can be used once. */
  const take = Effect.fnUntraced(function* (state: string, now: number) {
    const hash = yield* hashOf(state)
    const [row] = yield* rows.run(
      `DELETE FROM link_attempts WHERE state = ${mark(1)} RETURNING owner, scopes, verifier, ends_at`,
      [hash]
    )
    if (row === undefined || number(row, "ends_at") <= now) return Option.none()
    const verifier = yield* cipher.open(row.verifier as Uint8Array, sealContext(hash))
    return Option.map(verifier, (verifier) => ({
      owner: text(row, "owner"),
      scopes: text(row, "scopes").split(" "),
      verifier
    }))
  })

  return { create, take }
}
