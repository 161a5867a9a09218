import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"
import { Accounts, type AccountsError } from "@tollgate/ledger/account/Accounts"
import { isUnlimitedRow } from "@tollgate/ledger/account/keys"
import type { Refused } from "@tollgate/contract/errors/Refused"
import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { KeyHash } from "@tollgate/ledger/credential/KeyHash"
import { Keys } from "@tollgate/ledger/credential/Keys"
import { AddressLimit } from "../../limits/NameLimit.ts"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import * as Rows from "@tollgate/ledger/store/rows"

export interface Session {
  readonly account: string
  readonly endsAt: number
}

/** A secret in plain text, handed out once. The store holds its hash. */
export interface Issued {
  readonly secret: Redacted.Redacted
  readonly endsAt: number
}

export class NotSignedIn extends Data.TaggedError("NotSignedIn")<{
  /**
   * `limited key`: the key may not spend or do everything. Whoever signs in can grant more than that, so it cannot.
   * `used link`: the link was used before, has expired, or never existed.
   */
  readonly why: "wrong key" | "limited key" | "used link" | "too many"
  /** With `too many`: milliseconds until this address may try again. */
  readonly retryAfter?: number
}> {}

/** People who sign in to the pages: by an API key of their account, or by a link that an operator makes. */
export class SignIn extends Context.Service<
  SignIn,
  {
    /** A link for one sign-in. The secret is the last part of its address. */
    readonly createLink: (account: string) => Effect.Effect<Issued, AccountsError | SqlError>
    readonly createOperatorLink: Effect.Effect<Issued, SqlError>
    /** Uses the link up. `false`: it was used before, has expired, or never existed. */
    readonly useOperatorLink: (secret: string) => Effect.Effect<boolean, SqlError>
    /** The account that a link is for. Does not use it up. */
    readonly findLink: (secret: string) => Effect.Effect<Option.Option<string>, SqlError>
    /** Uses the link up and begins a session. */
    readonly withLink: (secret: string, address: string | undefined) => Effect.Effect<Issued, NotSignedIn | SqlError>
    readonly withKey: (
      key: Redacted.Redacted,
      address: string | undefined
    ) => Effect.Effect<Issued, NotSignedIn | Refused | SqlError>
    /** `none` if the session has ended, or the key that began it. */
    readonly find: (secret: string) => Effect.Effect<Option.Option<Session>, SqlError>
    readonly end: (secret: string) => Effect.Effect<void, SqlError>
  }
>()("@tollgate/gateway/SignIn") {
  static readonly layer: Layer.Layer<SignIn, never, SqlClient | KeyHash | Keys | Accounts | SecureRandom> =
    Layer.suspend(() => Layer.effect(SignIn, make))
}

export const linkMillis = 15 * 60_000
export const sessionMillis = 60 * 60_000

const secretBytes = 32
const secretPattern = /^[\w-]{43}$/

/** Wrong keys and used links from one address. */
const wrongLimit = { burst: 10, perMinute: 10 }

type Table = "sign_in_links" | "page_sessions"

/** In place of an account, and of the prefix of secrets, so that no link of an account is one of the operator. */
const operator = "operator"

const make = Effect.gen(function* () {
  const { insert, literal, query } = Rows.make(yield* SqlClient)
  const hash = yield* KeyHash
  const keys = yield* Keys
  const accounts = yield* Accounts
  const random = yield* SecureRandom
  const wrong = new AddressLimit(wrongLimit)

  /** One secret is never both a link and a session. */
  const idOf = (table: Table, secret: string) => hash.of(`${table} ${secret}`)

  const issue = Effect.fnUntraced(function* (table: Table, account: string, millis: number, key?: string, kind = "") {
    const secret = Base64Url.encode(yield* random.randomBytes(secretBytes))
    const now = yield* Clock.currentTimeMillis
    const endsAt = now + millis
    const more = key === undefined ? { columns: [], values: [] } : { columns: ["key"], values: [key] }
    yield* query`DELETE FROM ${literal(table)} WHERE ends_at <= ${now}`
    yield* insert(
      table,
      ["id", "account", "ends_at", ...more.columns],
      [[yield* idOf(table, kind + secret), account, endsAt, ...more.values]]
    )
    return { secret: Redacted.make(secret), endsAt } satisfies Issued
  }, doesNotTouchLedger)

  const findLink = Effect.fnUntraced(function* (secret: string) {
    if (!secretPattern.test(secret)) return Option.none<string>()
    const id = yield* idOf("sign_in_links", secret)
    const now = yield* Clock.currentTimeMillis
    const [row] = yield* query`SELECT account FROM sign_in_links WHERE id = ${id} AND ends_at > ${now}`
    return Option.map(Option.fromUndefinedOr(row), (row) => Rows.text(row, "account"))
  }, doesNotTouchLedger)

  /** Deletes the link and returns its account, so that it can be used once. */
  const takeLink = Effect.fnUntraced(function* (secret: string, kind = "") {
    if (!secretPattern.test(secret)) return Option.none<string>()
    const id = yield* idOf("sign_in_links", kind + secret)
    const [row] = yield* query`DELETE FROM sign_in_links WHERE id = ${id} RETURNING account, ends_at`
    return row !== undefined && Rows.number(row, "ends_at") > (yield* Clock.currentTimeMillis)
      ? Option.some(Rows.text(row, "account"))
      : Option.none<string>()
  }, doesNotTouchLedger)

  /** Only what was wrong is counted and slowed down. */
  const judge = Effect.fnUntraced(function* <A>(
    found: Option.Option<A>,
    address: string | undefined,
    why: NotSignedIn["why"]
  ) {
    if (Option.isSome(found)) return found.value
    const retryAfter = wrong.take(address, yield* Clock.currentTimeMillis)
    return yield* new NotSignedIn(retryAfter > 0 ? { why: "too many", retryAfter } : { why })
  })

  // What limits a key limits its rotations too, so it is in the row of their root key.
  const unlimited = literal(isUnlimitedRow)
  const keysWithRoot = literal("keys k JOIN keys p ON p.id = COALESCE(k.root_key, k.id)")

  const refuseIfLimitedKey = Effect.fnUntraced(function* (key: string) {
    const [row] = yield* query`SELECT k.ended, ${unlimited} AS unlimited FROM ${keysWithRoot} WHERE k.id = ${key}`
    // A key that was just revoked may still be cached.
    if (row === undefined || Rows.number(row, "ended") === 1) return yield* new NotSignedIn({ why: "wrong key" })
    if (!row.unlimited) return yield* new NotSignedIn({ why: "limited key" })
  }, doesNotTouchLedger)

  return SignIn.of({
    createLink: Effect.fnUntraced(function* (account) {
      yield* accounts.get(account)
      return yield* issue("sign_in_links", account, linkMillis)
    }),
    createOperatorLink: issue("sign_in_links", operator, linkMillis, undefined, operator),
    useOperatorLink: (secret) => Effect.map(takeLink(secret, operator), Option.isSome),
    findLink,
    withLink: Effect.fnUntraced(function* (secret, address) {
      const account = yield* judge(yield* takeLink(secret), address, "used link")
      return yield* issue("page_sessions", account, sessionMillis)
    }),
    withKey: Effect.fnUntraced(function* (credential, address) {
      // An access token may not grant more access.
      const found = Option.filter(yield* keys.find(Redacted.value(credential)), ({ grant }) => grant === undefined)
      const { account, key } = yield* judge(found, address, "wrong key")
      if (key === undefined) return yield* new NotSignedIn({ why: "wrong key" })
      yield* refuseIfLimitedKey(key)
      return yield* issue("page_sessions", account, sessionMillis, key)
    }),
    find: Effect.fnUntraced(function* (secret) {
      if (!secretPattern.test(secret)) return Option.none<Session>()
      const id = yield* idOf("page_sessions", secret)
      const now = yield* Clock.currentTimeMillis
      const [row] =
        yield* query`SELECT s.account, s.ends_at FROM page_sessions s WHERE s.id = ${id} AND s.ends_at > ${now}
        AND (s.key IS NULL OR EXISTS (SELECT 1 FROM ${keysWithRoot} WHERE k.id = s.key AND k.ended = 0
          AND (k.ends_at IS NULL OR k.ends_at > ${now}) AND ${unlimited}))`
      return Option.map(Option.fromUndefinedOr(row), (row): Session => ({
        account: Rows.text(row, "account"),
        endsAt: Rows.number(row, "ends_at")
      }))
    }, doesNotTouchLedger),
    end: Effect.fnUntraced(function* (secret) {
      yield* query`DELETE FROM page_sessions WHERE id = ${yield* idOf("page_sessions", secret)}`
    }, doesNotTouchLedger)
  })
})
