import { micro } from "@tollgate/contract/Money"
import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { AccountsError } from "@tollgate/ledger/account/Accounts"
import { foldUsage } from "@tollgate/ledger/commit/postgres/foldUsage"
import * as Rows from "@tollgate/ledger/store/rows"
import { amount, amountOrNull, number, numberOrNull, type Row, text } from "@tollgate/ledger/store/rows"
import { grantId } from "@tollgate/ledger/ledger/grantId"
import { type Grant, Grants } from "./Grants.ts"
import { isScope } from "./scopes.ts"

const dayMillis = 86_400_000

/** However often it is renewed, a grant ends after this time. */
export const lifetimeMillis = 365 * dayMillis

/** A value that no credential has as its hash: hashes are hexadecimal. */
const noHash = (id: string): string => `grant ${id}`

const columns =
  "SELECT g.id, g.client_id, g.client_name, g.scopes, k.account, k.budget, k.spent, k.created_at, k.ends_at, k.ended," +
  ` (SELECT MAX(u.start) FROM usage_sums u WHERE u.account = k.account AND u.span = ${dayMillis} AND u.key = k.id) AS used_at` +
  " FROM grants g JOIN keys k ON k.id = g.id"

const grantOf = (row: Row, now: number): Grant => {
  const limit = amountOrNull(row, "budget")
  const endsAt = number(row, "ends_at")
  return {
    id: text(row, "id"),
    account: text(row, "account"),
    client: { id: text(row, "client_id"), name: text(row, "client_name") },
    scopes: text(row, "scopes").split(" ").filter(isScope),
    limit: limit === null ? null : micro(limit),
    spent: micro(amount(row, "spent")),
    createdAt: number(row, "created_at"),
    endsAt,
    lastUsedAt: numberOrNull(row, "used_at") ?? undefined,
    ended: number(row, "ended") === 1 || endsAt <= now
  }
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const random = yield* SecureRandom
  const rows = Rows.make(sql)
  const { mark } = rows

  const find = Effect.fnUntraced(function* (id: string) {
    const [row] = yield* rows.run(`${columns} WHERE g.id = ${mark(1)}`, [id])
    const now = yield* Clock.currentTimeMillis
    return row === undefined ? Option.none<Grant>() : Option.some(grantOf(row, now))
  })

  return Grants.of({
    create: Effect.fnUntraced(function* ({ account, client, limit, scopes }) {
      const [known] = yield* rows.byIds("id", "accounts", [account])
      if (known === undefined) {
        return yield* new AccountsError({ reason: "missing", message: `There is no account ${account}.` })
      }
      const id = grantId(Hex.encode(yield* random.randomBytes(16)))
      const createdAt = yield* Clock.currentTimeMillis
      const endsAt = createdAt + lifetimeMillis
      yield* rows.insert(
        "keys",
        ["id", "account", "hash", "label", "created_at", "ends_at", "budget", "is_grant"],
        [[id, account, noHash(id), client.name, createdAt, endsAt, limit, 1]]
      )
      yield* rows.insert(
        "grants",
        ["id", "client_id", "client_name", "scopes"],
        [[id, client.id, client.name, scopes.join(" ")]]
      )
      return {
        id,
        account,
        client,
        scopes,
        limit,
        spent: micro(0n),
        createdAt,
        endsAt,
        lastUsedAt: undefined,
        ended: false
      }
    }, sql.withTransaction),
    list: Effect.fnUntraced(function* (account) {
      yield* foldUsage(rows)
      const where = account === undefined ? "" : ` WHERE k.account = ${mark(1)}`
      const found = yield* rows.run(
        `${columns}${where} ORDER BY k.created_at DESC, g.id`,
        account === undefined ? [] : [account]
      )
      const now = yield* Clock.currentTimeMillis
      return found.map((row) => grantOf(row, now))
    }),
    find,
    revoke: Effect.fnUntraced(function* (id) {
      const [row] = yield* rows.run(`SELECT account FROM keys WHERE id = ${mark(1)} AND is_grant = 1`, [id])
      if (row === undefined) return
      // As the ledger does: another order could deadlock.
      yield* rows.lock("accounts", [text(row, "account")])
      const now = yield* Clock.currentTimeMillis
      yield* rows.run(
        `UPDATE keys SET ended = 1, ends_at = CASE WHEN ends_at < ${mark(1)} THEN ends_at ELSE ${mark(2)} END` +
          ` WHERE id = ${mark(3)} AND ended = 0`,
        [now, now, id]
      )
      yield* rows.run(`DELETE FROM oauth WHERE grant_id = ${mark(1)}`, [id])
    }, sql.withTransaction)
  })
})

export const layer: Layer.Layer<Grants, never, SqlClient | SecureRandom> = Layer.effect(Grants, make)
