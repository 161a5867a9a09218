import type { Role } from "@tollgate/contract/Api"
import { AccountsError } from "@tollgate/ledger/account/Accounts"
import { KeyHash } from "@tollgate/ledger/credential/KeyHash"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import { flag, make as makeRows, number, numberOrNull, readerOf, type Row } from "@tollgate/ledger/store/rows"
import { text, textOrNull } from "@tollgate/ledger/store/rows"
import * as Trail from "@tollgate/ledger/trail/Trail"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"

const role = (row: Row, name: string) => text(row, name) as Role

const operatorOf = readerOf({
  id: text,
  name: text,
  role,
  issuer: textOrNull,
  createdAt: number,
  seenAt: numberOrNull,
  ended: flag
})

export type Operator = ReturnType<typeof operatorOf>

const storedToken = readerOf({
  id: text,
  operator: text,
  label: text,
  role,
  createdAt: number,
  endsAt: number,
  usedAt: numberOrNull,
  ended: flag
})

/** Of a program. Sessions of browsers are not listed. */
export type Token = ReturnType<typeof storedToken>

export interface SignedIn extends Pick<Operator, "id" | "name" | "role"> {
  readonly token: string
  /** Whether a person signed in with it. */
  readonly isSession: boolean
}

/** Who an OpenID provider says that somebody is. */
export interface Claimed {
  readonly issuer: string
  readonly subject: string
  readonly name: string
  /** `undefined`: none of the provider's groups has a role here. */
  readonly role: Role | undefined
}

/** Lets scanners recognize a leaked one. */
export const tokenPrefix = "tgo_"
const tokenPattern = /^tgo_[\w-]{43}$/

const minute = 60_000
const day = 86_400_000
/** `away`: after a sign-in at a provider, which does not tell when it removes somebody, tokens of programs work that long. */
const lifetimes = { link: 15 * minute, session: day / 2, away: 30 * day }
const mostTokens = 50

/** A token never does more than its operator by now. Of two roles that do different things, what both do: reading. */
export const both = (one: Role, other: Role): Role => {
  if (one === other || other === "owner") return one
  return one === "owner" ? other : "reader"
}

const tokenOf = (row: Row, now: number): Token => {
  const token = storedToken(row)
  return { ...token, ended: token.ended || token.endsAt <= now }
}

const refused = (reason: AccountsError["reason"], message: string) => new AccountsError({ reason, message })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const hash = yield* KeyHash
  const random = yield* SecureRandom
  const { insert, literal, lockName, query } = makeRows(sql)
  const trail = Trail.make(sql, hash)

  const newId = (prefix: string) => Effect.map(random.randomBytes(10), (bytes) => `${prefix}_${Hex.encode(bytes)}`)
  const hashOf = (kind: string, secret: string) => hash.of(`operator ${kind} ${secret}`)

  const rowOf = Effect.fnUntraced(function* (id: string) {
    const [row] = yield* query`SELECT * FROM operators WHERE id = ${id}`
    return row ?? (yield* refused("missing", `There is no operator ${id}.`))
  })

  /** Of two changes at once the second sees the first, so an owner is left. */
  const checkOwner = Effect.gen(function* () {
    const [row] = yield* query`SELECT id FROM operators WHERE role = 'owner' AND ended = 0 LIMIT 1`
    if (row === undefined)
      return yield* refused("conflict", "This is the last owner. Make somebody else an owner first.")
  })

  const read = (id: string) =>
    Effect.andThen(lockName("tollgate operators"), rowOf(id)).pipe(
      Effect.map(({ ended, issuer, name, role }): Row => ({ name, role, issuer, ended }))
    )

  /** Sessions stay so long that they show when somebody signed in. */
  const isThere = (now: number) =>
    literal(`(o.issuer IS NULL OR EXISTS (SELECT 1 FROM operator_tokens s
      WHERE s.operator = o.id AND s.kind = 'session' AND s.created_at > ${now - lifetimes.away}))`)

  /** Ends what lets an operator in, for one whose role was taken away. */
  const endTokens = (id: string) => query`UPDATE operator_tokens SET ended = 1 WHERE operator = ${id} AND ended = 0`

  const issue = Effect.fnUntraced(function* (
    kind: "link" | "session" | "token",
    operator: string,
    terms: { readonly label?: string; readonly role?: Role; readonly millis: number }
  ) {
    const { label = kind, millis, role = "owner" } = terms
    const secret = `${tokenPrefix}${Base64Url.encode(yield* random.randomBytes(32))}`
    const now = yield* Clock.currentTimeMillis
    const id = yield* newId("optok")
    yield* query`DELETE FROM operator_tokens WHERE kind <> 'token' AND ends_at <= ${now - lifetimes.away}`
    yield* insert(
      "operator_tokens",
      ["id", "operator", "kind", "hash", "label", "role", "created_at", "ends_at"],
      [[id, operator, kind, yield* hashOf(kind === "link" ? kind : "token", secret), label, role, now, now + millis]]
    )
    return { id, secret: Redacted.make(secret, { label: "operator token" }), endsAt: now + millis }
  })

  const insertOperator = Effect.fnUntraced(function* (name: string, role: Role, claimed?: Claimed) {
    const id = yield* newId("op")
    yield* insert(
      "operators",
      ["id", "name", "role", "issuer", "subject", "created_at"],
      [[id, name, role, claimed?.issuer ?? null, claimed?.subject ?? null, yield* Clock.currentTimeMillis]]
    )
    yield* trail.add({ action: "operator added", subject: id, after: { name, role, issuer: claimed?.issuer ?? null } })
    return id
  })

  const findToken = Effect.fnUntraced(function* (id: string) {
    const [row] = yield* query`SELECT * FROM operator_tokens WHERE id = ${id} AND kind = 'token'`
    return row ?? (yield* refused("missing", `There is no token ${id}.`))
  })

  return {
    areNone: doesNotTouchLedger(Effect.map(query`SELECT id FROM operators LIMIT 1`, ([row]) => row === undefined)),
    list: Effect.map(query`SELECT * FROM operators ORDER BY ended, created_at, id`, (rows) => rows.map(operatorOf)),
    create: Effect.fnUntraced(function* ({ name, role }: Pick<Operator, "name" | "role">) {
      return operatorOf(yield* rowOf(yield* insertOperator(name, role)))
    }, sql.withTransaction),
    /** A role lets one in again who was ended. The last owner stays one. */
    change: Effect.fnUntraced(
      function* (id: string, { name, role }: Partial<Pick<Operator, "name" | "role">>) {
        const before = operatorOf(yield* rowOf(id))
        yield* query`UPDATE operators SET name = ${name ?? before.name}, role = ${role ?? before.role},
          ended = ${role === undefined && before.ended ? 1 : 0} WHERE id = ${id}`
        if (before.role === "owner" && role !== undefined && role !== "owner") yield* checkOwner
        return operatorOf(yield* rowOf(id))
      },
      (effect, id) => trail.changing("operator changed", id, read(id), effect)
    ),
    end: Effect.fnUntraced(
      function* (id: string) {
        const { ended, role } = operatorOf(yield* rowOf(id))
        yield* query`UPDATE operators SET ended = 1 WHERE id = ${id}`
        if (role === "owner" && !ended) yield* checkOwner
        yield* endTokens(id)
        return operatorOf(yield* rowOf(id))
      },
      (effect, id) => trail.changing("operator ended", id, read(id), effect)
    ),
    /** The secret of a link. */
    link: Effect.fnUntraced(function* (id: string) {
      const { ended, issuer } = operatorOf(yield* rowOf(id))
      if (ended) return yield* refused("conflict", `${id} has ended. A role lets them in again.`)
      if (issuer !== null) return yield* refused("conflict", `${id} signs in at ${issuer}.`)
      yield* trail.add({ action: "sign-in link made", subject: id })
      return yield* issue("link", id, { millis: lifetimes.link })
    }, sql.withTransaction),
    /** Uses a link up, and begins a session. `undefined`: it was used before, has expired, or never existed. */
    useLink: Effect.fnUntraced(function* (secret: string) {
      if (!tokenPattern.test(secret)) return undefined
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* query`DELETE FROM operator_tokens WHERE hash = ${yield* hashOf("link", secret)}
        AND ended = 0 AND ends_at > ${now} RETURNING operator`
      if (row === undefined) return undefined
      return (yield* issue("session", text(row, "operator"), { millis: lifetimes.session })).secret
    }, sql.withTransaction),
    /** Begins a session of somebody whom a provider knows. Name and role become those that it says. */
    signedIn: Effect.fnUntraced(
      function* (claimed: Claimed) {
        const { issuer, name, role, subject } = claimed
        yield* lockName("tollgate operators")
        const [row] = yield* query`SELECT * FROM operators WHERE issuer = ${issuer} AND subject = ${subject}`
        const known = row && operatorOf(row)
        if (known?.ended === true) return yield* refused("conflict", `${known.name} was ended here by an owner.`)
        if (role === undefined) {
          if (known !== undefined) yield* endTokens(known.id)
          return undefined
        }
        const id = known?.id ?? (yield* insertOperator(name, role, claimed))
        if (known !== undefined) {
          const update = query`UPDATE operators SET name = ${name}, role = ${role} WHERE id = ${id}`
          yield* trail.changing("operator changed", id, read(id), update)
        }
        return (yield* issue("session", id, { millis: lifetimes.session })).secret
      },
      sql.withTransaction,
      Effect.flatMap((secret) =>
        secret === undefined
          ? Effect.fail(refused("conflict", "None of your groups has a role here. Ask an owner."))
          : Effect.succeed(secret)
      )
    ),
    /** Ends the session of a token. */
    signOut: Effect.fnUntraced(function* (token: Redacted.Redacted) {
      yield* query`UPDATE operator_tokens SET ended = 1 WHERE kind = 'session'
        AND hash = ${yield* hashOf("token", Redacted.value(token))}`
    }, doesNotTouchLedger),
    tokens: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(
        query`SELECT t.*, CASE WHEN ${isThere(now)} THEN t.ended ELSE 1 END AS ended FROM operator_tokens t
          JOIN operators o ON o.id = t.operator WHERE kind = 'token' ORDER BY t.created_at DESC, t.id`,
        (rows) => rows.map((row) => tokenOf(row, now))
      )
    ),
    createToken: Effect.fnUntraced(function* (
      operator: SignedIn,
      { days, label, role }: Pick<Token, "label" | "role"> & { readonly days: number }
    ) {
      const now = yield* Clock.currentTimeMillis
      yield* lockName("tollgate operators")
      const [{ held } = { held: 0n }] = yield* query`SELECT COUNT(*) AS held FROM operator_tokens
        WHERE operator = ${operator.id} AND kind = 'token' AND ended = 0 AND ends_at > ${now}`
      if (Number(held) >= mostTokens) return yield* refused("conflict", `You have ${mostTokens} tokens; end one.`)
      const { id, secret } = yield* issue("token", operator.id, { label, role, millis: days * day })
      const token = tokenOf(yield* findToken(id), now)
      yield* trail.add({
        action: "operator token created",
        subject: id,
        after: { operator: operator.id, label, role: token.role, ends_at: token.endsAt }
      })
      return { token, secret }
    }, sql.withTransaction),
    /** `operator`: if it is of another one, there is no such token. */
    endToken: (id: string, operator?: string) => {
      const terms = Effect.map(findToken(id), ({ ended, label, operator }): Row => ({ operator, label, ended }))
      const end = Effect.gen(function* () {
        if (operator !== undefined && text(yield* findToken(id), "operator") !== operator)
          return yield* refused("missing", `There is no token ${id} of yours.`)
        yield* query`UPDATE operator_tokens SET ended = 1 WHERE id = ${id}`
        return tokenOf(yield* findToken(id), yield* Clock.currentTimeMillis)
      })
      return trail.changing("operator token ended", id, terms, end)
    },
    /** Asked at each request, so what is taken away holds at once, on every gateway. */
    find: Effect.fnUntraced(function* (token: string) {
      if (!tokenPattern.test(token)) return undefined
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* query`SELECT t.id AS token, t.kind, t.role AS most, t.used_at, o.id, o.name, o.role
        FROM operator_tokens t JOIN operators o ON o.id = t.operator
        WHERE t.hash = ${yield* hashOf("token", token)} AND t.ended = 0 AND t.ends_at > ${now} AND o.ended = 0
          AND ${isThere(now)}`
      if (row === undefined) return undefined
      const id = text(row, "id")
      if ((numberOrNull(row, "used_at") ?? 0) <= now - minute) {
        // Operators see why a store cannot be written.
        yield* Effect.ignore(query`UPDATE operator_tokens SET used_at = ${now} WHERE id = ${text(row, "token")}`)
        yield* Effect.ignore(query`UPDATE operators SET seen_at = ${now} WHERE id = ${id}`)
      }
      return {
        id,
        name: text(row, "name"),
        role: both(role(row, "most"), role(row, "role")),
        token: text(row, "token"),
        isSession: text(row, "kind") === "session"
      }
    }, doesNotTouchLedger)
  }
})

/** People who operate the gateway, each by name. */
export class Operators extends Context.Service<Operators, Effect.Success<typeof make>>()(
  "@tollgate/gateway/Operators"
) {
  static readonly layer = Layer.effect(Operators, make)
}
