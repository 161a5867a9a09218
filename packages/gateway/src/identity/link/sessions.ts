import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Cipher } from "../crypto/Cipher.ts"
import * as Rows from "@tollgate/ledger/store/rows"
import { number, numberOrNull, text } from "@tollgate/ledger/store/rows"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"

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

/** The sessions of linked accounts, one per owner, with encrypted tokens. */
export const make = (sql: SqlClient, cipher: Cipher["Service"]) => {
  const { mark, run } = Rows.make(sql)

  const sealed = ({ access, owner, refresh }: Contents) =>
    Effect.all([
      cipher.seal(access, accessContext(owner)),
      refresh === undefined ? Effect.succeed(null) : cipher.seal(refresh, refreshContext(owner))
    ])

  /** Also `none` if the tokens were encrypted under another secret. */
  const find = Effect.fnUntraced(function* (owner: string) {
    const reading = run(
      `SELECT scopes, access, refresh, ends_at, linked_at FROM link_sessions WHERE owner = ${mark(1)}`,
      [owner]
    )
    const [row] = yield* doesNotTouchLedger(reading)
    if (row === undefined) return Option.none<Session>()
    const access = yield* cipher.open(row.access as Uint8Array, accessContext(owner))
    const refresh =
      row.refresh === null
        ? Option.none<Redacted.Redacted>()
        : yield* cipher.open(row.refresh as Uint8Array, refreshContext(owner))
    return Option.map(access, (access): Session => ({
      owner,
      scopes: text(row, "scopes").split(" "),
      access,
      refresh: Option.getOrUndefined(refresh),
      endsAt: numberOrNull(row, "ends_at") ?? undefined,
      storedAccess: row.access as Uint8Array,
      linkedAt: number(row, "linked_at")
    }))
  })

  /** Replaces the session that the owner had. */
  const store = Effect.fnUntraced(function* (session: Contents, now: number) {
    const [access, refresh] = yield* sealed(session)
    yield* run(
      `INSERT INTO link_sessions (owner, scopes, access, refresh, ends_at, linked_at)` +
        ` VALUES (${mark(1)}, ${mark(2)}, ${mark(3)}, ${mark(4)}, ${mark(5)}, ${mark(6)})` +
        " ON CONFLICT (owner) DO UPDATE SET scopes = excluded.scopes, access = excluded.access," +
        " refresh = excluded.refresh, ends_at = excluded.ends_at, linked_at = excluded.linked_at",
      [session.owner, session.scopes.join(" "), access, refresh, session.endsAt ?? null, now]
    )
  })

  /** `false`: the session was renewed or replaced in the meantime, and nothing was changed. */
  const renew = Effect.fnUntraced(function* (old: Session, renewed: Contents) {
    const [access, refresh] = yield* sealed(renewed)
    const changed = yield* run(
      `UPDATE link_sessions SET scopes = ${mark(1)}, access = ${mark(2)}, refresh = ${mark(3)}, ends_at = ${mark(4)}` +
        ` WHERE owner = ${mark(5)} AND access = ${mark(6)} RETURNING owner`,
      [renewed.scopes.join(" "), access, refresh, renewed.endsAt ?? null, old.owner, old.storedAccess]
    )
    return changed.length > 0
  })

  /** `false`: the session was renewed or replaced in the meantime, and nothing was changed. */
  const drop = (session: Session) =>
    Effect.map(
      run(`DELETE FROM link_sessions WHERE owner = ${mark(1)} AND access = ${mark(2)} RETURNING owner`, [
        session.owner,
        session.storedAccess
      ]),
      (dropped) => dropped.length > 0
    )

  const expire = (owner: string) => run(`UPDATE link_sessions SET ends_at = 0 WHERE owner = ${mark(1)}`, [owner])

  const remove = (owner: string) => run(`DELETE FROM link_sessions WHERE owner = ${mark(1)}`, [owner])

  return { find, store, renew, drop, expire, remove }
}
