import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import { SqlClient } from "effect/sql/SqlClient"
import { KeyHash } from "@tollgate/ledger/credential/KeyHash"
import * as Rows from "@tollgate/ledger/store/rows"
import { hashed, model } from "../grant/AccessTokensSql.ts"
import { consoleId } from "../grant/Grants.ts"
import { Operators } from "../operator/Operators.ts"
import type { Aead } from "effect/crypto/Aead"
import type { Kdf } from "effect/crypto/Kdf"
import * as Clock from "effect/Clock"
import * as Layer from "effect/Layer"
import * as Utf8 from "@tollgate/contract/Utf8"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import { makeCipher } from "../crypto/Cipher.ts"

/** An account and the operator sign in apart. One browser can have both. */
export type Kind = "account" | "operator"

export interface Begun {
  /** For the cookie. The store holds its hash. */
  readonly secret: Redacted.Redacted
  /** What the page knows of its session. It opens nothing. */
  readonly id: string
  /** When it ends at the latest. */
  readonly endsAt: number
}

/** Who is signed in to the console in a browser, over reloads and in all its tabs. */
export class ConsoleSessions extends Context.Service<
  ConsoleSessions,
  {
    /** Keeps the credential for a browser. `owner`: its key. The oldest sessions of a key end if there are too many. */
    readonly begin: (kind: Kind, owner: string, credential: Redacted.Redacted) => Effect.Effect<Begun, SqlError>
    /** The credential. `none` if the session has ended, or is not the one that the page means. */
    readonly find: (kind: Kind, secret: string, id: string) => Effect.Effect<Option.Option<Redacted.Redacted>, SqlError>
    /** Forgets the credential. A token of the console itself ends. Returns whether there was such a session. */
    readonly end: (kind: Kind, secret: string, id?: string) => Effect.Effect<boolean, SqlError>
  }
>()("@tollgate/gateway/ConsoleSessions") {
  static readonly layer: Layer.Layer<
    ConsoleSessions,
    never,
    SqlClient | KeyHash | SecureRandom | Aead | Kdf | Operators
  > = Layer.suspend(() => Layer.effect(ConsoleSessions, make))
}

/**
 * The console's own tokens. A session takes the access token over: it gets a new value and lives as long as the session, and the
 * refresh token goes. What the page had is worth nothing then. Other credentials stay as they are.
 */
const makeTokens = Effect.gen(function* () {
  const { literal, query } = Rows.make(yield* SqlClient)
  const hash = yield* KeyHash
  const random = yield* SecureRandom

  const idOf = (token: string) => hash.of(hashed(model, token))
  const ofConsole = literal(`grant_id IN (SELECT id FROM grants WHERE client_id = '${consoleId}')`)

  return {
    take: Effect.fnUntraced(function* (credential: Redacted.Redacted, endsAt: number) {
      const token = Base64Url.encode(yield* random.randomBytes(32))
      const [row] = yield* query`UPDATE oauth SET id = ${yield* idOf(token)}, expires_at = ${endsAt}
        WHERE model = ${model} AND id = ${yield* idOf(Redacted.value(credential))} AND ${ofConsole} RETURNING grant_id, uid`
      if (row === undefined) return credential
      yield* query`DELETE FROM oauth WHERE model = 'RefreshToken'
        AND grant_id = ${Rows.text(row, "grant_id")} AND uid = ${Rows.text(row, "uid")}`
      return Redacted.make(token, { label: "access token" })
    }),
    /** Ends the sign-in of this browser. The grant stays for the next one. */
    end: Effect.fnUntraced(function* (credential: Redacted.Redacted) {
      const id = yield* idOf(Redacted.value(credential))
      yield* query`DELETE FROM oauth WHERE (grant_id, uid) IN
        (SELECT grant_id, uid FROM oauth WHERE model = ${model} AND id = ${id} AND ${ofConsole})`
    })
  }
})

const hour = 3_600_000

/** `idle`: without a request. `most`: after the sign-in. */
const lifetimes = {
  account: { idle: 12 * hour, most: 7 * 24 * hour },
  operator: { idle: hour, most: 12 * hour }
} satisfies Record<Kind, object>

const mostOfOwner = 20

const secretBytes = 32
const secretPattern = /^[\w-]{43}$/

/** The part of the row's id that the page knows. Ids are keyed hashes. */
const shownLength = 16

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { insert, lockName, query } = Rows.make(sql)
  const hash = yield* KeyHash
  const random = yield* SecureRandom
  const tokens = yield* makeTokens
  const operators = yield* Operators
  const services = yield* Effect.context<Aead | Kdf | SecureRandom>()

  /** A secret of one kind is none of the other. */
  const idOf = (kind: Kind, secret: string) => hash.of(`console ${kind} ${secret}`)

  const cipherOf = (secret: string) =>
    Effect.provideContext(makeCipher(Redacted.make(Utf8.encode(secret)), "tollgate console session 1"), services)

  /** Each use moves the end, but not at each request. */
  const prolong = Effect.fnUntraced(function* (kind: Kind, id: string, row: Rows.Row, now: number) {
    const { idle, most } = lifetimes[kind]
    const endsAt = Math.min(now + idle, Rows.number(row, "begun_at") + most)
    if (endsAt - Rows.number(row, "ends_at") < idle / 12) return
    yield* query`UPDATE console_sessions SET ends_at = ${endsAt} WHERE id = ${id} AND ends_at < ${endsAt}`
  })

  const open = Effect.fnUntraced(function* (secret: string, id: string, row: Rows.Row) {
    return yield* (yield* cipherOf(secret)).open(row.sealed as Uint8Array, id)
  })

  /** The lock is for other gateways: of two sign-ins at once, neither would count the other's session. */
  const keep = Effect.fnUntraced(function* (owner: string, row: ReadonlyArray<Rows.Value>) {
    yield* lockName(`tollgate console session ${owner}`)
    yield* query`DELETE FROM console_sessions WHERE id IN (SELECT id FROM console_sessions
      WHERE owner = ${owner} ORDER BY begun_at DESC, id LIMIT 1000 OFFSET ${mostOfOwner - 1})`
    yield* insert("console_sessions", ["id", "owner", "sealed", "begun_at", "ends_at"], [row])
  }, sql.withTransaction)

  return ConsoleSessions.of({
    begin: Effect.fnUntraced(function* (kind, owner, credential) {
      const secret = Base64Url.encode(yield* random.randomBytes(secretBytes))
      const id = yield* idOf(kind, secret)
      const now = yield* Clock.currentTimeMillis
      const { idle, most } = lifetimes[kind]
      const endsAt = now + most
      yield* query`DELETE FROM console_sessions WHERE ends_at <= ${now}`
      const kept = kind === "account" ? yield* tokens.take(credential, endsAt) : credential
      const sealed = yield* (yield* cipherOf(secret)).seal(kept, id)
      yield* keep(owner, [id, owner, sealed, now, now + idle])
      return { secret: Redacted.make(secret), id: id.slice(0, shownLength), endsAt } satisfies Begun
    }, doesNotTouchLedger),
    find: Effect.fnUntraced(function* (kind, secret, shown) {
      if (!secretPattern.test(secret)) return Option.none<Redacted.Redacted>()
      const id = yield* idOf(kind, secret)
      if (id.slice(0, shownLength) !== shown) return Option.none<Redacted.Redacted>()
      const now = yield* Clock.currentTimeMillis
      const [row] =
        yield* query`SELECT sealed, begun_at, ends_at FROM console_sessions WHERE id = ${id} AND ends_at > ${now}`
      if (row === undefined) return Option.none<Redacted.Redacted>()
      yield* prolong(kind, id, row, now)
      return yield* open(secret, id, row)
    }, doesNotTouchLedger),
    end: Effect.fnUntraced(function* (kind, secret, shown) {
      if (!secretPattern.test(secret)) return false
      const id = yield* idOf(kind, secret)
      if (shown !== undefined && id.slice(0, shownLength) !== shown) return false
      const [row] = yield* query`DELETE FROM console_sessions WHERE id = ${id} RETURNING sealed`
      if (row === undefined) return false
      const credential = yield* open(secret, id, row)
      if (Option.isSome(credential)) {
        yield* kind === "account" ? tokens.end(credential.value) : operators.signOut(credential.value)
      }
      return true
    }, doesNotTouchLedger)
  })
})
