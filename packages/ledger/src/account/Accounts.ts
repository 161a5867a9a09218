import { type BigMicroUsd, fromMicros, micro } from "@tollgate/contract/Money"
import type { Multiplier } from "@tollgate/contract/price/Price"
import { fromTopUps, type Tier } from "@tollgate/contract/Tier"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Struct from "effect/Struct"
import { accountEntryOf, type AccountTransaction, entryColumns, entryOf, type Transaction } from "./entries.ts"
import {
  AccountsError,
  BehindJournal,
  conflict,
  type From,
  makeEntering,
  type NewTransaction,
  paidBy,
  usd
} from "./entries.ts"
import { hasEnded, type Key, keyOf, keys, type KeyTerms, type NewKey, ownColumns, sharedColumns } from "./keys.ts"
import type { SqlError } from "effect/sql/SqlError"
import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as ApiKey from "../credential/ApiKey.ts"
import { KeyHash } from "../credential/KeyHash.ts"
import { allowanceOf, chosenPrefix } from "../credential/Keys.ts"
import { foldUsage } from "../commit/postgres/foldUsage.ts"
import { notify } from "../fleet/Notices.ts"
import { balanceEvents, budgetEvents, type LedgerEvent, type Watch } from "../ledger/LedgerEvent.ts"
import * as Rows from "../store/rows.ts"
import { amount, micros, number, readerOf, type Row, text } from "../store/rows.ts"
import * as Statements from "../store/statements.ts"
import { Webhooks } from "../outbox/Endpoints.ts"
import { insertEvents } from "../outbox/insertEvents.ts"
import * as Trail from "../trail/Trail.ts"
import type { Window } from "../usage/Query.ts"

export { AccountsError, type Transaction } from "./entries.ts"
export type { Key, KeyTerms, NewKey } from "./keys.ts"

const accountOf = readerOf({
  id: text,
  label: text,
  createdAt: number,
  balance: micros,
  reserved: micros,
  toppedUp: micros,
  tier: (row) => (row.tier === null ? fromTopUps(fromMicros(micros(row, "topped_up"))) : (text(row, "tier") as Tier)),
  /** Those of the tier, unless the operator set others. */
  allowance: allowanceOf,
  multiplier: amount
})

export type Account = ReturnType<typeof accountOf>

export interface RefundTerms {
  /** If another account made the call, there is no such call. */
  readonly account?: string | undefined
  /** All of the charge by default. */
  readonly amount?: BigMicroUsd | undefined
  readonly entry?: string | undefined
  /** The most that who asks may give back for one call, and ten times as much in a day (UTC). */
  readonly most?: BigMicroUsd | undefined
}

export interface AccountTerms {
  readonly label?: string
  /** `null`: by the amount topped up. */
  readonly tier?: Tier | null
  readonly rpm?: number | null
  readonly tpm?: number | null
  readonly concurrency?: number | null
  readonly multiplier?: Multiplier
}

type Result<A> = Effect.Effect<A, AccountsError | SqlError>

/** Accounts, their keys and payments. For operators only: not part of the public API. */
export class Accounts extends Context.Service<
  Accounts,
  {
    readonly create: (label: string) => Result<Account>
    readonly list: Result<ReadonlyArray<Account>>
    readonly get: (id: string) => Result<Account>
    readonly change: (id: string, terms: AccountTerms) => Result<Account>
    /** A payment, which counts for the tier. Repeating an `entry` changes nothing; with other terms it is a conflict. */
    readonly topUp: (id: string, amount: BigMicroUsd, note: string, entry?: string) => Result<Account>
    /** Credits or debits without a payment. A debit may not exceed what is available. */
    readonly adjust: (id: string, amount: bigint, note: string, entry?: string) => Result<Account>
    /** Takes a payment back: what was paid in, and so the tier, is less. The balance may go below zero, unless only `available` money is taken. */
    readonly reverse: (id: string, amount: BigMicroUsd, reason: string, entry?: string, from?: From) => Result<Account>
    /** Gives back what a call was charged, or a part of it, once. Usage reports and budgets stay as they are. */
    readonly refund: (call: string, reason: string, terms?: RefundTerms) => Result<Account>
    /** The last 500, the newest first. */
    readonly entries: (id: string) => Result<ReadonlyArray<Transaction>>
    /** The last 500 of all accounts in a window, the newest first, and the sums of all by kind. */
    readonly allEntries: (window: Window) => Result<{
      readonly entries: ReadonlyArray<AccountTransaction>
      readonly totals: ReadonlyMap<string, bigint>
    }>
    /** `most`: how many keys of the account may be valid then. Default: any number. */
    readonly createKey: (account: string, terms: KeyTerms, most?: number) => Result<NewKey>
    /** Stores a key that exists already. Storing the same key again changes nothing. */
    readonly adoptKey: (account: string, key: Redacted.Redacted, label: string) => Result<string>
    readonly listKeys: (account?: string) => Result<ReadonlyArray<Key>>
    readonly getKey: (id: string) => Result<Key>
    /** Changes the label of this key, and what all its rotations may spend and do. */
    readonly changeKey: (id: string, terms: KeyTerms) => Result<Key>
    /** `refusal`: asked with all keys of the account, in the transaction. Of two revocations at once the second sees the first. */
    readonly revokeKey: (
      id: string,
      refusal?: (key: Key, all: ReadonlyArray<Key>) => AccountsError | undefined
    ) => Result<Key>
    /** A new key with the same terms. The old one works for another `graceMillis`. */
    readonly rotateKey: (id: string, graceMillis: number, most?: number) => Result<NewKey>
  }
>()("@tollgate/ledger/Accounts") {}

/** The credit of a new account, in micro-USD. */
export const SignupCredit = Context.Reference<BigMicroUsd>("@tollgate/ledger/SignupCredit", {
  defaultValue: () => micro(5_000_000n)
})

const accountColumns = (terms: AccountTerms): ReadonlyArray<readonly [string, Rows.Value]> =>
  Object.entries(terms).filter((entry): entry is [string, Rows.Value] => entry[1] !== undefined)

type LedgerEvents = ReadonlyArray<LedgerEvent>

const accountTermsInTrail = ["label", "tier", "rpm", "tpm", "concurrency", "multiplier"]
const keyTermsInTrail = "account label ended ends_at root_key budget day_budget month_budget restrictions".split(" ")

const maxRetries = 50
/** Entries. */
const mostListed = 500

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = Rows.make(sql)
  const hash = yield* KeyHash
  const random = yield* SecureRandom
  const credit = yield* SignupCredit
  const endpoints = yield* Webhooks
  const statements = Statements.make(sql)
  const trail = Trail.make(sql, hash)

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

  const entering = makeEntering(rows)
  const ofEntry = rows.literal(entryColumns)
  const newest = rows.literal(`ORDER BY at DESC, id DESC LIMIT ${mostListed}`)

  const denied = (words: string) =>
    new AccountsError({ reason: "denied", message: `${words}; ask an owner or somebody in finance.` })

  /** What the operator who asks has given back since midnight. */
  const refundedToday = Effect.fnUntraced(function* (now: number) {
    const { operator = "" } = yield* Trail.CurrentCause
    const booked = yield* rows.query`SELECT after FROM trail
      WHERE operator = ${operator} AND at >= ${now - (now % 86_400_000)} AND action = ${Trail.booked}`
    return booked
      .map((row) => JSON.parse(Rows.text(row, "after")) as { readonly kind: string; readonly amount: number })
      .reduce((sum, { amount, kind }) => (kind === "refund" ? sum + BigInt(amount) : sum), 0n)
  })

  /** Adds an entry and changes the balance in one transaction. An entry with a known id changes nothing. */
  const enterOnce = Effect.fnUntraced(function* (
    id: string,
    entry: NewTransaction,
    { from, most }: { readonly from?: From | undefined; readonly most?: BigMicroUsd | undefined } = {}
  ) {
    yield* rows.lock("accounts", [id])
    const account = accountOf(yield* find("accounts", id))
    if (yield* entering.isKnown(id, entry)) return account
    yield* entering.check(account, entry, from)
    const now = yield* Clock.currentTimeMillis
    const { amount } = entry
    yield* sql`INSERT INTO entries ${sql.insert({ call: null, ...entry, account: id, at: now })}`
    yield* sql`UPDATE accounts SET balance = balance + ${amount}, topped_up = topped_up + ${paidBy(entry)} WHERE id = ${id}`
    const { call = null, kind, note } = entry
    yield* trail.add({ action: Trail.booked, subject: entry.id, account: id, after: { kind, amount, call }, why: note })
    // With the entry: nobody else adds to the trail until this is over.
    if (most !== undefined && (yield* refundedToday(now)) > most * 10n) {
      return yield* denied(`You may refund up to ${usd(micro(most * 10n))} in a day (UTC)`)
    }
    yield* tell(id, (watch, of) => balanceEvents(watch, of, account.balance, account.balance + amount))
    // What was paid in may change the tier.
    yield* notify(sql, { kind: "accounts" })
    return accountOf(yield* find("accounts", id))
  }, sql.withTransaction)

  const whenCaughtUp = <A, E, R>(effect: Effect.Effect<A, E | BehindJournal, R>) =>
    effect.pipe(
      Effect.retry({ times: maxRetries, while: (error) => error instanceof BehindJournal }),
      Effect.catchIf(
        (error) => error instanceof BehindJournal,
        () => Effect.fail(conflict("The balance is changing; try again."))
      )
    )

  const enter = Effect.fnUntraced(function* (
    account: string,
    kind: NewTransaction["kind"],
    amount: bigint,
    note: string,
    entry?: string,
    from?: From
  ) {
    const id = entry ?? (yield* newId("entry"))
    return yield* whenCaughtUp(enterOnce(account, { kind, amount, note, id }, { from }))
  })

  const accountTerms = Effect.fnUntraced(function* (id: string) {
    yield* rows.lock("accounts", [id])
    return { account: id, ...Struct.pick(yield* find("accounts", id), accountTermsInTrail) }
  })
  const keyTerms = Effect.fnUntraced(function* (id: string) {
    yield* findToChange(id)
    return Struct.pick(yield* find("keys", id), keyTermsInTrail)
  })
  const changingKey =
    (action: string) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>, id: string) =>
      trail.changing(action, id, keyTerms(id), effect)

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
    yield* trail.add({ action: "key created", subject: id, account, after: yield* keyTerms(id) })
  })

  const keysOf = (account?: string) => {
    const whose = account === undefined ? sql`` : sql`AND account = ${account}`
    const found = rows.query`SELECT * FROM ${rows.literal(keys)} WHERE is_grant = 0 ${whose} ORDER BY created_at, id`
    return Effect.map(found, (rows) => rows.map(keyOf))
  }

  const makeKey = Effect.fnUntraced(function* (account: string, terms: Parameters<typeof insertKey>[3]) {
    const value = ApiKey.fromEntropy(yield* random.randomBytes(ApiKey.entropyBytes))
    const id = yield* newId("key")
    yield* insertKey(id, account, yield* hash.of(Redacted.value(value)), terms)
    return { id, value }
  }, sql.withTransaction)

  /** Refuses one key more than an account may have. Two at once cannot pass: the account is locked. */
  const checkRoom = Effect.fnUntraced(function* (account: string, most = Infinity) {
    if (most === Infinity) return
    yield* rows.lock("accounts", [account])
    const now = yield* Clock.currentTimeMillis
    const valid = (yield* keysOf(account)).filter((key) => !hasEnded(key, now))
    if (valid.length >= most)
      return yield* conflict(`The account has ${most} valid keys, the most it may have; revoke one.`)
  })

  return Accounts.of({
    create: Effect.fnUntraced(function* (label) {
      const id = yield* newId("acct")
      yield* sql`INSERT INTO accounts ${sql.insert({ id, label, created_at: yield* Clock.currentTimeMillis })}`
      yield* trail.add({ action: "account created", subject: id, account: id, after: { label } })
      return credit > 0n ? yield* enter(id, "credit", credit, "signup credit") : accountOf(yield* find("accounts", id))
    }, sql.withTransaction),
    list: Effect.map(rows.run("SELECT * FROM accounts ORDER BY created_at, id", []), (found) => found.map(accountOf)),
    get: (id) => Effect.map(find("accounts", id), accountOf),
    change: Effect.fnUntraced(
      function* (id, terms) {
        yield* find("accounts", id)
        yield* set("accounts", id, accountColumns(terms))
        return accountOf(yield* find("accounts", id))
      },
      (effect, id) => trail.changing("account changed", id, accountTerms(id), effect)
    ),
    topUp: (id, value, note, entry) =>
      value > 0n ? enter(id, "topup", value, note, entry) : Effect.fail(conflict("A top-up must be more than zero.")),
    adjust: (id, value, note, entry) => enter(id, "adjustment", value, note, entry),
    reverse: (id, value, reason, entry, from) =>
      value > 0n
        ? enter(id, "reversal", -value, reason, entry, from)
        : Effect.fail(conflict("A reversal must be more than zero.")),
    refund: Effect.fnUntraced(function* (call, reason, { account, amount, entry = `refund_${call}`, most } = {}) {
      const charge = yield* whenCaughtUp(entering.chargeOf(call))
      const value = amount ?? charge.charged
      if (value < 0n || amount === 0n) return yield* conflict("A refund must be more than zero.")
      if (most !== undefined && value > most) return yield* denied(`You may refund up to ${usd(most)} for a call`)
      const of = { kind: "refund", amount: value, note: reason, id: entry, call } as const
      return yield* whenCaughtUp(enterOnce(account ?? charge.account, of, { most }))
    }),
    entries: Effect.fnUntraced(function* (id) {
      yield* find("accounts", id)
      const found = yield* rows.query`SELECT ${ofEntry} FROM entries WHERE account = ${id} ${newest}`
      return found.map(entryOf)
    }),
    allEntries: Effect.fnUntraced(function* ({ end, start }) {
      const within = sql`FROM entries WHERE at >= ${start} AND at < ${end}`
      const found = yield* rows.query`SELECT ${ofEntry}, account,
        (SELECT label FROM accounts WHERE accounts.id = entries.account) AS account_label ${within} ${newest}`
      const sums = yield* rows.query`SELECT kind, SUM(amount) AS amount ${within} GROUP BY kind`
      return {
        entries: found.map(accountEntryOf),
        totals: new Map(sums.map((row) => [text(row, "kind"), amount(row, "amount")]))
      }
    }),
    createKey: Effect.fnUntraced(function* (account, terms, most) {
      yield* checkRoom(account, most)
      return yield* makeKey(account, terms)
    }, sql.withTransaction),
    adoptKey: Effect.fnUntraced(function* (account, key, label) {
      const hashed = yield* hash.of(Redacted.value(key))
      const [known] = yield* sql<Row>`SELECT id FROM keys WHERE hash = ${hashed}`
      if (known !== undefined) return text(known, "id")
      const wellFormed = ApiKey.isWellFormed(Redacted.value(key))
      const id = wellFormed ? yield* newId("key") : `${chosenPrefix}${hashed.slice(0, 16)}`
      yield* insertKey(id, account, hashed, { label })
      return id
    }, sql.withTransaction),
    listKeys: (account) => Effect.andThen(foldUsage(rows), keysOf(account)),
    getKey: (id) => Effect.map(find("keys", id), keyOf),
    changeKey: Effect.fnUntraced(function* (id, terms) {
      const key = yield* findToChange(id)
      if (terms.restrictions?.endsAt !== undefined && hasEnded(key, yield* Clock.currentTimeMillis)) {
        return yield* conflict(`${id} has ended; make a new key.`)
      }
      yield* set("keys", id, ownColumns(terms))
      yield* set("keys", key.rootKey, sharedColumns(terms, key.restrictions))
      const changed = keyOf(yield* find("keys", id))
      yield* tell(key.account, (watch, of) => budgetEvents(watch, { ...of, key: key.rootKey }, key, changed))
      return changed
    }, changingKey("key changed")),
    revokeKey: Effect.fnUntraced(function* (id, refusal) {
      const key = yield* findToChange(id)
      const refused = refusal?.(key, yield* keysOf(key.account))
      if (refused !== undefined) return yield* refused
      const now = yield* Clock.currentTimeMillis
      if (!hasEnded(key, now)) yield* set("keys", id, [["ends_at", now]])
      yield* set("keys", id, [["ended", 1]])
      return keyOf(yield* find("keys", id))
    }, changingKey("key revoked")),
    rotateKey: Effect.fnUntraced(function* (id, graceMillis, most) {
      const old = yield* findToChange(id)
      yield* checkRoom(old.account, most)
      const now = yield* Clock.currentTimeMillis
      if (old.isGrant) return yield* conflict(`${id} is a grant; it has no value that could be rotated.`)
      if (hasEnded(old, now)) {
        return yield* conflict(`${id} has ended; make a new key.`)
      }
      // Both keys count towards the same budgets.
      const made = yield* makeKey(old.account, { label: old.label, rootKey: old.rootKey })
      yield* set("keys", id, [["ends_at", now + graceMillis]])
      return made
    }, changingKey("key rotated"))
  })
})

export const layer: Layer.Layer<Accounts, never, SqlClient | KeyHash | SecureRandom> = Layer.effect(Accounts, make)
