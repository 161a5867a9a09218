import { fromMicros, micro } from "@tollgate/contract/Money"
import { fromTopUps, type Tier } from "@tollgate/contract/Tier"
import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as ApiKey from "../credential/ApiKey.ts"
import { KeyHash } from "../credential/KeyHash.ts"
import { allowanceOf, chosenPrefix } from "../credential/Keys.ts"
import { notify } from "../fleet/Notices.ts"
import { balanceEvents, budgetEvents, type LedgerEvent, type Watch } from "../ledger/LedgerEvent.ts"
import * as Rows from "../store/rows.ts"
import { amount, number, type Row, text } from "../store/rows.ts"
import * as Statements from "../store/statements.ts"
import { Webhooks } from "../outbox/Endpoints.ts"
import { insertEvents } from "../outbox/insertEvents.ts"
import { type Account, Accounts, AccountsError, type AccountTerms, type KeyTerms, SignupCredit } from "./Accounts.ts"
import * as Entering from "./entering.ts"
import { entryOf, selectEntries } from "./entryRow.ts"
import { hasEnded, keyOf, keys, ownColumns, sharedColumns } from "./keyRow.ts"
import { quotaSpent } from "./quotaSpent.ts"

const accountOf = (row: Row): Account => {
  const toppedUp = micro(amount(row, "topped_up"))
  return {
    id: text(row, "id"),
    label: text(row, "label"),
    createdAt: number(row, "created_at"),
    balance: micro(amount(row, "balance")),
    reserved: micro(amount(row, "reserved")),
    toppedUp,
    tier: row.tier === null ? fromTopUps(fromMicros(toppedUp)) : (text(row, "tier") as Tier),
    allowance: allowanceOf(row),
    multiplier: amount(row, "multiplier")
  }
}

const accountColumns = (terms: AccountTerms): ReadonlyArray<readonly [string, Rows.Value]> =>
  Object.entries(terms).filter((entry): entry is [string, Rows.Value] => entry[1] !== undefined)

type LedgerEvents = ReadonlyArray<LedgerEvent>

const { conflict } = Entering

const maxRetries = 50

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = Rows.make(sql)
  const hash = yield* KeyHash
  const random = yield* SecureRandom
  const credit = yield* SignupCredit
  const endpoints = yield* Webhooks
  const statements = Statements.make(sql)

  const newId = (prefix: string) => Effect.map(random.randomBytes(10), (bytes) => `${prefix}_${Hex.encode(bytes)}`)

  const find = Effect.fnUntraced(function* (table: "accounts" | "keys", id: string) {
    const [row] = yield* rows.byIds("*", table === "keys" ? keys : table, [id])
    if (row !== undefined) return row
    return yield* new AccountsError({
      reason: "missing",
      message: `There is no ${table === "accounts" ? "account" : "key"} ${id}.`
    })
  })

  /** Tells what follows from a change, in its transaction. */
  const tell = Effect.fnUntraced(function* (
    account: string,
    eventsOf: (
      watch: Watch,
      of: { readonly at: number; readonly account: string; readonly cause: string }
    ) => LedgerEvents
  ) {
    const { all, watch } = endpoints
    if (watch === undefined) return
    const cause = yield* newId("change")
    const events = eventsOf(watch, { at: yield* Clock.currentTimeMillis, account, cause })
    for (const { text, values } of insertEvents(
      statements,
      all,
      events.map((event) => [event, cause])
    )) {
      yield* rows.run(text, values)
    }
  })

  /** Reads a key to change it. Locks its account first, as the ledger does: another order could deadlock. */
  const findToChange = Effect.fnUntraced(function* (id: string) {
    const { account } = keyOf(yield* find("keys", id))
    yield* rows.lock("accounts", [account])
    return keyOf(yield* find("keys", id))
  })

  const set = Effect.fnUntraced(function* (
    table: "accounts" | "keys",
    id: string,
    columns: ReadonlyArray<readonly [string, Rows.Value]>
  ) {
    if (columns.length === 0) return
    yield* sql`UPDATE ${sql(table)} SET ${sql.update(Object.fromEntries(columns))} WHERE id = ${id}`
    yield* notify(sql, { kind: table })
  })

  const entering = Entering.make(rows)

  /** Adds an entry and changes the balance in one transaction. An entry with a known id changes nothing. */
  const enterOnce = Effect.fnUntraced(function* (id: string, entry: Entering.NewEntry) {
    yield* rows.lock("accounts", [id])
    const account = accountOf(yield* find("accounts", id))
    if (yield* entering.isKnown(id, entry)) return account
    yield* entering.check(account, entry)
    const now = yield* Clock.currentTimeMillis
    const { amount } = entry
    yield* sql`INSERT INTO entries ${sql.insert({ call: null, ...entry, account: id, at: now })}`
    yield* sql`UPDATE accounts SET balance = balance + ${amount}, topped_up = topped_up + ${Entering.paidBy(entry)} WHERE id = ${id}`
    yield* tell(id, (watch, of) => balanceEvents(watch, of, account.balance, account.balance + amount))
    // What was paid in may change the tier.
    yield* notify(sql, { kind: "accounts" })
    return accountOf(yield* find("accounts", id))
  }, sql.withTransaction)

  const whenCaughtUp = <A, E, R>(effect: Effect.Effect<A, E | Entering.BehindJournal, R>) =>
    effect.pipe(
      Effect.retry({ times: maxRetries, while: (error) => error instanceof Entering.BehindJournal }),
      Effect.catchIf(
        (error) => error instanceof Entering.BehindJournal,
        () => Effect.fail(Entering.conflict("The balance is changing; try again."))
      )
    )

  const enter = Effect.fnUntraced(function* (
    account: string,
    kind: Entering.NewEntry["kind"],
    amount: bigint,
    note: string,
    entry?: string
  ) {
    const id = entry ?? (yield* newId("entry"))
    return yield* whenCaughtUp(enterOnce(account, { kind, amount, note, id }))
  })

  const insertKey = Effect.fnUntraced(function* (
    id: string,
    account: string,
    hashed: string,
    terms: KeyTerms & { readonly rootKey?: string }
  ) {
    yield* find("accounts", account)
    const key = {
      id,
      account,
      hash: hashed,
      created_at: yield* Clock.currentTimeMillis,
      root_key: terms.rootKey ?? null,
      ...Object.fromEntries([...ownColumns({ label: "", ...terms }), ...sharedColumns(terms)])
    }
    yield* sql`INSERT INTO keys ${sql.insert(key)}`
  })

  const makeKey = Effect.fnUntraced(function* (account: string, terms: Parameters<typeof insertKey>[3]) {
    const value = ApiKey.fromEntropy(yield* random.randomBytes(ApiKey.entropyBytes))
    const id = yield* newId("key")
    yield* insertKey(id, account, yield* hash.of(Redacted.value(value)), terms)
    return { id, value }
  }, sql.withTransaction)

  return Accounts.of({
    create: Effect.fnUntraced(function* (label) {
      const id = yield* newId("acct")
      yield* sql`INSERT INTO accounts ${sql.insert({ id, label, created_at: yield* Clock.currentTimeMillis })}`
      return credit > 0n ? yield* enter(id, "credit", credit, "signup credit") : accountOf(yield* find("accounts", id))
    }, sql.withTransaction),
    list: Effect.map(rows.run("SELECT * FROM accounts ORDER BY created_at, id", []), (found) => found.map(accountOf)),
    get: (id) => Effect.map(find("accounts", id), accountOf),
    change: Effect.fnUntraced(function* (id, terms) {
      yield* find("accounts", id)
      yield* set("accounts", id, accountColumns(terms))
      return accountOf(yield* find("accounts", id))
    }, sql.withTransaction),
    topUp: (id, value, note, entry) =>
      value > 0n ? enter(id, "topup", value, note, entry) : Effect.fail(conflict("A top-up must be more than zero.")),
    adjust: (id, value, note, entry) => enter(id, "adjustment", value, note, entry),
    reverse: (id, value, reason, entry) =>
      value > 0n
        ? enter(id, "reversal", -value, reason, entry)
        : Effect.fail(conflict("A reversal must be more than zero.")),
    refund: Effect.fnUntraced(function* (call, reason, { account, amount, entry = `refund_${call}` } = {}) {
      const charge = yield* whenCaughtUp(entering.chargeOf(call))
      const value = amount ?? charge.charged
      if (value < 0n || amount === 0n) return yield* conflict("A refund must be more than zero.")
      const of = { kind: "refund", amount: value, note: reason, id: entry, call } as const
      return yield* whenCaughtUp(enterOnce(account ?? charge.account, of))
    }),
    entries: Effect.fnUntraced(function* (id) {
      yield* find("accounts", id)
      return (yield* rows.run(selectEntries(rows), [id])).map(entryOf)
    }),
    createKey: (account, terms) => makeKey(account, terms),
    adoptKey: Effect.fnUntraced(function* (account, key, label) {
      const hashed = yield* hash.of(Redacted.value(key))
      const [known] = yield* sql<Row>`SELECT id FROM keys WHERE hash = ${hashed}`
      if (known !== undefined) return text(known, "id")
      const wellFormed = ApiKey.isWellFormed(Redacted.value(key))
      const id = wellFormed ? yield* newId("key") : `${chosenPrefix}${hashed.slice(0, 16)}`
      yield* insertKey(id, account, hashed, { label })
      return id
    }, sql.withTransaction),
    listKeys: (account) => {
      const whose = account === undefined ? "" : `AND account = ${rows.mark(1)}`
      const found = rows.run(
        `SELECT * FROM ${keys} WHERE is_grant = 0 ${whose} ORDER BY created_at, id`,
        account === undefined ? [] : [account]
      )
      return Effect.map(found, (rows) => rows.map(keyOf))
    },
    getKey: (id) => Effect.map(find("keys", id), keyOf),
    changeKey: Effect.fnUntraced(function* (id, terms) {
      const key = yield* findToChange(id)
      yield* set("keys", id, ownColumns(terms))
      yield* set("keys", key.rootKey, sharedColumns(terms))
      if (terms.quota !== undefined) {
        yield* set("keys", key.rootKey, yield* quotaSpent(rows, key, terms.quota?.period ?? "day"))
      }
      const changed = keyOf(yield* find("keys", id))
      yield* tell(key.account, (watch, of) => budgetEvents(watch, { ...of, key: key.rootKey }, key, changed))
      return changed
    }, sql.withTransaction),
    revokeKey: Effect.fnUntraced(function* (id) {
      const key = yield* findToChange(id)
      const now = yield* Clock.currentTimeMillis
      if (!hasEnded(key, now)) yield* set("keys", id, [["ends_at", now]])
      yield* set("keys", id, [["ended", 1]])
      return keyOf(yield* find("keys", id))
    }, sql.withTransaction),
    rotateKey: Effect.fnUntraced(function* (id, graceMillis) {
      const old = yield* findToChange(id)
      const now = yield* Clock.currentTimeMillis
      if (old.isGrant) return yield* conflict(`${id} is a grant; it has no value that could be rotated.`)
      if (hasEnded(old, now)) {
        return yield* conflict(`${id} has ended; make a new key.`)
      }
      // Both keys count towards the same budget and quota.
      const made = yield* makeKey(old.account, { label: old.label, rootKey: old.rootKey })
      yield* set("keys", id, [["ends_at", now + graceMillis]])
      return made
    }, sql.withTransaction)
  })
})

export const layer: Layer.Layer<Accounts, never, SqlClient | KeyHash | SecureRandom> = Layer.effect(Accounts, make)
