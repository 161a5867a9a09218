import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Cipher } from "../crypto/Cipher.ts"
import * as Rows from "@tollgate/ledger/store/rows"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Digest from "effect/crypto/Digest"

export interface Session {
  readonly owner: string
  readonly scopes: ReadonlyArray<string>
  readonly access: Redacted.Redacted
  readonly refresh: Redacted.Redacted | undefined
  /** When the access token expires, if the platform says so. */
  readonly endsAt: number | undefined
  /** The access token as stored. It differs after each renewal, so updates use it to detect a concurrent change. */
  readonly storedAccess: Uint8Array
  readonly linkedAt: number
}

type Contents = Omit<Session, "storedAccess" | "linkedAt">

const accessContext = (owner: string) => `link access ${owner}`
const refreshContext = (owner: string) => `link refresh ${owner}`

export const make = (sql: SqlClient, cipher: Cipher["Service"]) => {
  const { query } = Rows.make(sql)

  const sealed = ({ access, owner, refresh }: Contents) =>
    Effect.all([
      cipher.seal(access, accessContext(owner)),
      refresh === undefined ? Effect.succeed(null) : cipher.seal(refresh, refreshContext(owner))
    ])

  /** Also `none` if the tokens were encrypted under another secret. */
  const find = Effect.fnUntraced(function* (owner: string) {
    const [row] = yield* doesNotTouchLedger(
      query`SELECT scopes, access, refresh, ends_at, linked_at FROM link_sessions WHERE owner = ${owner}`
    )
    if (row === undefined) return Option.none<Session>()
    const access = yield* cipher.open(row.access as Uint8Array, accessContext(owner))
    const refresh =
      row.refresh === null
        ? Option.none<Redacted.Redacted>()
        : yield* cipher.open(row.refresh as Uint8Array, refreshContext(owner))
    return Option.map(access, (access): Session => ({
      owner,
      scopes: Rows.text(row, "scopes").split(" "),
      access,
      refresh: Option.getOrUndefined(refresh),
      endsAt: Rows.numberOrNull(row, "ends_at") ?? undefined,
      storedAccess: row.access as Uint8Array,
      linkedAt: Rows.number(row, "linked_at")
    }))
  })

  /** Replaces the session that the owner had. */
  const store = Effect.fnUntraced(function* (session: Contents, now: number) {
    const [access, refresh] = yield* sealed(session)
    yield* query`INSERT INTO link_sessions (owner, scopes, access, refresh, ends_at, linked_at)
      VALUES (${session.owner}, ${session.scopes.join(" ")}, ${access}, ${refresh}, ${session.endsAt ?? null}, ${now})
      ON CONFLICT (owner) DO UPDATE SET scopes = excluded.scopes, access = excluded.access,
      refresh = excluded.refresh, ends_at = excluded.ends_at, linked_at = excluded.linked_at`
  })

  /** `false`: the session was renewed or replaced in the meantime, and nothing was changed. */
  const renew = Effect.fnUntraced(function* (old: Session, renewed: Contents) {
    const [access, refresh] = yield* sealed(renewed)
    const changed = yield* query`UPDATE link_sessions SET scopes = ${renewed.scopes.join(" ")}, access = ${access},
      refresh = ${refresh}, ends_at = ${renewed.endsAt ?? null}
      WHERE owner = ${old.owner} AND access = ${old.storedAccess} RETURNING owner`
    return changed.length > 0
  })

  /** `false`: the session was renewed or replaced in the meantime, and nothing was changed. */
  const drop = (session: Session) =>
    Effect.map(
      query`DELETE FROM link_sessions WHERE owner = ${session.owner} AND access = ${session.storedAccess} RETURNING owner`,
      (dropped) => dropped.length > 0
    )

  const expire = (owner: string) => query`UPDATE link_sessions SET ends_at = 0 WHERE owner = ${owner}`

  const remove = (owner: string) => query`DELETE FROM link_sessions WHERE owner = ${owner}`

  return { find, store, renew, drop, expire, remove }
}

export const attemptMillis = 600_000

/** Per owner. Starting another deletes the oldest. */
const maxAttempts = 20

const sealContext = (state: string) => `link verifier ${state}`

/** Links that wait for the user to approve. The store holds the state hashed and the verifier encrypted. */
export const makeAttempts = (sql: SqlClient, cipher: Cipher["Service"], digest: Digest.Digest["Service"]) => {
  const { insert, lockName, query } = Rows.make(sql)
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
    yield* query`DELETE FROM link_attempts WHERE ends_at <= ${now}`
    yield* Effect.gen(function* () {
      // For other gateways: of two attempts at once, neither would count the other.
      yield* lockName(`tollgate link attempt ${owner}`)
      yield* query`DELETE FROM link_attempts WHERE owner = ${owner} AND state NOT IN
        (SELECT state FROM link_attempts WHERE owner = ${owner} ORDER BY ends_at DESC LIMIT ${maxAttempts - 1})`
      yield* insert(
        "link_attempts",
        ["state", "owner", "scopes", "verifier", "ends_at"],
        [[state, owner, attempt.scopes.join(" "), verifier, now + attemptMillis]]
      )
    }).pipe(sql.withTransaction)
  })

  /** Deletes the attempt and returns it, so that a state can be used once. */
  const take = Effect.fnUntraced(function* (state: string, now: number) {
    const hash = yield* hashOf(state)
    const [row] =
      yield* query`DELETE FROM link_attempts WHERE state = ${hash} RETURNING owner, scopes, verifier, ends_at`
    if (row === undefined || Rows.number(row, "ends_at") <= now) return Option.none()
    const verifier = yield* cipher.open(row.verifier as Uint8Array, sealContext(hash))
    return Option.map(verifier, (verifier) => ({
      owner: Rows.text(row, "owner"),
      scopes: Rows.text(row, "scopes").split(" "),
      verifier
    }))
  })

  return { create, take }
}
