import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import { Accounts, AccountsError } from "@tollgate/ledger/account/Accounts"
import { type Allowed, readAllowed, writeAllowed } from "./Allowed.ts"
import { isScope, type Scope } from "./scopes.ts"
import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { foldUsage } from "@tollgate/ledger/commit/postgres/foldUsage"
import * as Rows from "@tollgate/ledger/store/rows"
import { micros, microsOrNull, number, numberOrNull, type Row, text, textOrNull } from "@tollgate/ledger/store/rows"
import { KeyHash } from "@tollgate/ledger/credential/KeyHash"
import * as Trail from "@tollgate/ledger/trail/Trail"
import { grantId } from "@tollgate/ledger/credential/ApiKey"
import { PeriodBudget } from "@tollgate/ledger/ledger/Balance"

/** The client id of the gateway's own console at the built-in authorization server. */
export const consoleId = "console"

export const serviceAccountId = (random: string): string => `machine_${random}`

/** Whether a client is a machine, which the operator made. Registered clients have shorter ids, and issuers name theirs otherwise. */
export const isServiceAccountId = (id: string): boolean => /^machine_[0-9a-f]{20}$/.test(id)

export interface GrantClient {
  readonly id: string
  /** As it calls itself. Anybody can claim any name. */
  readonly name: string
}

/** What the person who gives access can choose, and change later. */
export interface GrantTerms {
  /** `null`: every operation. */
  readonly allowed: Allowed | null
  /** The most that it may spend in total. */
  readonly limit: BigMicroUsd | null
  /** The most that it may spend in a day, in UTC. */
  readonly dayLimit: BigMicroUsd | null
  /** A call that can cost more needs approval. `null`: none does. */
  readonly askAbove: BigMicroUsd | null
  readonly endsAt: number
}

/** What a person allowed a client to do for an account. */
export interface Grant extends GrantTerms {
  /** `gr_…`. The key with this id holds the limits, the spend and the end. */
  readonly id: string
  readonly account: string
  readonly client: GrantClient
  readonly scopes: ReadonlyArray<Scope>
  /** The host to which the client returned with it last, or the scheme of a program. */
  readonly returnsTo: string | undefined
  readonly spent: BigMicroUsd
  readonly spentToday: BigMicroUsd
  readonly createdAt: number
  /** The day of its last billed call, in UTC. `undefined`: it made none. */
  readonly lastUsedAt: number | undefined
  /** Whether it was taken back, or its time is over. */
  readonly ended: boolean
}

/** Terms that are left out limit nothing. Without an end it ends after a year. */
export type NewGrant = Pick<Grant, "account" | "client" | "scopes" | "limit"> &
  Partial<Omit<GrantTerms, "limit"> & Pick<Grant, "returnsTo">>

export class Grants extends Context.Service<
  Grants,
  {
    /**
     * Gives a client access to an account. If it has access already, that is renewed with these terms: what was given before
     * goes on under them, so that they hold for all devices together. What was spent counts towards the limit.
     */
    readonly give: (grant: NewGrant) => Effect.Effect<Grant, AccountsError | SqlError>
    /** Changes terms, at once. Whose grant it is the caller has to check. */
    readonly change: (id: string, terms: Partial<GrantTerms>) => Effect.Effect<Grant, AccountsError | SqlError>
    /** Of an account, or of all. The newest first, also those that have ended. */
    readonly list: (account?: string) => Effect.Effect<ReadonlyArray<Grant>, SqlError>
    readonly find: (id: string) => Effect.Effect<Option.Option<Grant>, SqlError>
    /** Ends the grant and all its tokens, at once. Whose grant it is the caller has to check. */
    readonly revoke: (id: string) => Effect.Effect<void, SqlError>
  }
>()("@tollgate/gateway/Grants") {
  static readonly layer: Layer.Layer<Grants, never, Accounts | KeyHash | SqlClient | SecureRandom> = Layer.suspend(() =>
    Layer.effect(Grants, make)
  )
}

const dayMillis = 86_400_000

/** A grant whose end nobody chose ends after this time. */
export const lifetimeMillis = 365 * dayMillis

/** A value that no credential has as its hash: hashes are hexadecimal. */
const noHash = (id: string): string => `grant ${id}`

const allColumns =
  "SELECT g.id, g.client_id, g.client_name, g.scopes, g.returns_to, g.allows, g.ask_above, k.account, k.budget," +
  " k.day_budget, k.day_from, k.day_spent, k.spent, k.created_at, k.ends_at, k.ended," +
  ` (SELECT MAX(u.start) FROM usage_sums u WHERE u.account = k.account AND u.span = ${dayMillis} AND u.key = k.id) AS used_at` +
  " FROM grants g JOIN keys k ON k.id = g.id"

const grantOf = (row: Row, now: number): Grant => {
  const endsAt = number(row, "ends_at")
  return {
    id: text(row, "id"),
    account: text(row, "account"),
    client: { id: text(row, "client_id"), name: text(row, "client_name") },
    scopes: text(row, "scopes").split(" ").filter(isScope),
    returnsTo: textOrNull(row, "returns_to") ?? undefined,
    allowed: readAllowed(textOrNull(row, "allows")),
    limit: microsOrNull(row, "budget"),
    dayLimit: microsOrNull(row, "day_budget"),
    askAbove: microsOrNull(row, "ask_above"),
    spent: micros(row, "spent"),
    spentToday: micro(new PeriodBudget(row, "day").spentAt(now)),
    createdAt: number(row, "created_at"),
    endsAt,
    lastUsedAt: numberOrNull(row, "used_at") ?? undefined,
    ended: number(row, "ended") === 1 || endsAt <= now
  }
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const random = yield* SecureRandom
  const accounts = yield* Accounts
  const rows = Rows.make(sql)
  const trail = Trail.make(sql, yield* KeyHash)
  const columns = rows.literal(allColumns)

  const find = Effect.fnUntraced(function* (id: string) {
    const [row] = yield* rows.query`${columns} WHERE g.id = ${id}`
    const now = yield* Clock.currentTimeMillis
    return row === undefined ? Option.none<Grant>() : Option.some(grantOf(row, now))
  })

  const missing = (what: string) => new AccountsError({ reason: "missing", message: `There is no ${what}.` })
  const conflict = (message: string) => new AccountsError({ reason: "conflict", message })

  /** Writes terms in the words of the key and of the grant. Those that are left out stay. */
  const write = Effect.fnUntraced(function* (id: string, terms: Partial<GrantTerms & Pick<NewGrant, "returnsTo">>) {
    const { allowed, askAbove, dayLimit, endsAt, limit, returnsTo } = terms
    yield* accounts.changeKey(id, {
      ...(limit === undefined ? {} : { budget: limit }),
      ...(dayLimit === undefined ? {} : { dayBudget: dayLimit })
    })
    if (endsAt !== undefined) yield* sql`UPDATE keys SET ends_at = ${endsAt} WHERE id = ${id}`
    const columns = {
      ...(returnsTo === undefined ? {} : { returns_to: returnsTo }),
      ...(allowed === undefined ? {} : { allows: writeAllowed(allowed) }),
      ...(askAbove === undefined ? {} : { ask_above: askAbove })
    }
    if (Object.keys(columns).length > 0) yield* sql`UPDATE grants SET ${sql.update(columns)} WHERE id = ${id}`
  })

  const insert = Effect.fnUntraced(function* ({ account, client, scopes }: NewGrant) {
    const id = grantId(Hex.encode(yield* random.randomBytes(16)))
    const createdAt = yield* Clock.currentTimeMillis
    yield* rows.insert(
      "keys",
      ["id", "account", "hash", "label", "created_at", "ends_at", "is_grant"],
      [[id, account, noHash(id), client.name, createdAt, createdAt + lifetimeMillis, 1]]
    )
    yield* rows.insert(
      "grants",
      ["id", "client_id", "client_name", "scopes"],
      [[id, client.id, client.name, scopes.join(" ")]]
    )
    return id
  })

  /** The newest grant of the client that has not ended. */
  const current = Effect.fnUntraced(function* (account: string, client: string) {
    const now = yield* Clock.currentTimeMillis
    const [row] = yield* rows.query`${columns} WHERE k.account = ${account} AND g.client_id = ${client}
      AND k.ended = 0 AND k.ends_at > ${now} ORDER BY k.created_at DESC, g.id LIMIT 1`
    return row === undefined ? undefined : grantOf(row, now)
  })

  const written = Effect.fnUntraced(function* (id: string) {
    return yield* Effect.fromOption(yield* find(id), () => missing(`grant ${id}`))
  })

  /** What the trail says of a grant. */
  const shown = Effect.fnUntraced(function* (id: string) {
    const [row] = yield* rows.query`SELECT k.account, g.client_name, g.scopes, g.allows, g.ask_above, k.ended, k.ends_at
      FROM grants g JOIN keys k ON k.id = g.id WHERE g.id = ${id}`
    return row ?? (yield* missing(`grant ${id}`))
  })

  return Grants.of({
    give: Effect.fnUntraced(function* (grant) {
      const { account, client, scopes, ...terms } = grant
      const [known] = yield* rows.byIds("id", "accounts", [account])
      if (known === undefined) return yield* missing(`account ${account}`)
      // Two that are given at once become one. The account is locked first, as the ledger does.
      yield* rows.lock("accounts", [account])
      const renewed = yield* current(account, client.id)
      const id = renewed?.id ?? (yield* insert(grant))
      if (renewed !== undefined) {
        const all = [...new Set([...renewed.scopes, ...scopes])].join(" ")
        yield* sql`UPDATE grants SET scopes = ${all}, client_name = ${client.name} WHERE id = ${id}`
      }
      // Who asks for nothing that costs changes nothing of what its other devices may spend.
      if (renewed === undefined) {
        yield* trail.add({ action: "app connected", subject: id, account, after: yield* shown(id) })
      }
      const keepsTerms = renewed?.scopes.includes("use") === true && !scopes.includes("use")
      yield* write(id, keepsTerms ? { returnsTo: terms.returnsTo } : terms)
      return yield* written(id)
    }, sql.withTransaction),
    change: Effect.fnUntraced(function* (id, changed) {
      const grant = yield* written(id)
      yield* rows.lock("accounts", [grant.account])
      if ((yield* written(id)).ended) return yield* conflict(`${id} has ended; connect the client again.`)
      if (isServiceAccountId(grant.client.id) && changed.askAbove !== undefined && changed.askAbove !== null) {
        return yield* conflict(`${id} is a service account: there is nobody to ask.`)
      }
      yield* trail.changing("app changed", id, shown(id), write(id, changed))
      return yield* written(id)
    }, sql.withTransaction),
    list: Effect.fnUntraced(function* (account) {
      yield* foldUsage(rows)
      const where = account === undefined ? rows.literal("") : sql`WHERE k.account = ${account}`
      const found = yield* rows.query`${columns} ${where} ORDER BY k.created_at DESC, g.id`
      const now = yield* Clock.currentTimeMillis
      return found.map((row) => grantOf(row, now))
    }),
    find,
    revoke: Effect.fnUntraced(function* (id) {
      const [row] = yield* rows.query`SELECT account FROM keys WHERE id = ${id} AND is_grant = 1`
      if (row === undefined) return
      // As the ledger does: another order could deadlock.
      yield* rows.lock("accounts", [text(row, "account")])
      const now = yield* Clock.currentTimeMillis
      const update = sql`UPDATE keys SET ended = 1, ends_at = CASE WHEN ends_at < ${now} THEN ends_at ELSE ${now} END
        WHERE id = ${id} AND ended = 0`
      yield* trail.changing("app revoked", id, Effect.orDie(shown(id)), update)
      yield* sql`DELETE FROM oauth WHERE grant_id = ${id}`
    }, sql.withTransaction)
  })
})
