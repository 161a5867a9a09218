import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Multiplier } from "@tollgate/contract/price/Price"
import { type Allowance, allowances, fromTopUps, type Tier } from "@tollgate/contract/Tier"
import { type Refused, unavailable } from "@tollgate/contract/errors/Refused"
import { fromMicros, micro } from "@tollgate/contract/Money"
import { Clock } from "effect/Clock"
import { SqlClient } from "effect/sql/SqlClient"
import { amount, make as makeRows, numberOrNull, type Row, text } from "../store/rows.ts"
import * as ApiKey from "./ApiKey.ts"
import { listen } from "../fleet/Notices.ts"
import { doesNotTouchLedger } from "../store/EmbeddedStore.ts"
import { TimedCache } from "../store/TimedCache.ts"
import { KeyHash } from "./KeyHash.ts"
import { type Allows, readRestrictions, type Restricted, restrictedBy } from "./Restrictions.ts"

/** What an access token stands for: the part of a grant that the path checks. */
export interface TokenGrant {
  readonly id: string
  readonly scopes: ReadonlySet<string>
  /** The resource for which the token was issued (RFC 8707). */
  readonly resource: string
  /** `undefined`: every operation. */
  readonly allows?: Allows | undefined
  /** In micro-USD. A call that can cost more needs approval. `undefined`: none does. */
  readonly askAbove?: bigint | undefined
  /** It is of a machine, which the operator let in. Otherwise a person did. */
  readonly isServiceAccount?: boolean
  /** It is of the gateway's own console, on whose pages a person decides. */
  readonly isConsole?: boolean
}

/** Who calls, and on what terms. */
export interface Principal {
  readonly account: string
  /** The key that is charged. An access token has the key of its grant. */
  readonly key?: string
  /** The first key of its rotations, which holds the terms and the spend of them all. Its own id if it was never rotated. */
  readonly rootKey?: string
  readonly allowance: Allowance
  readonly multiplier: Multiplier
  /** `undefined`: the key may do everything. */
  readonly restricted?: Restricted
  /** Present if the credential is an access token. */
  readonly grant?: TokenGrant
}

/**
 * Who owns tasks and linked accounts: the first key of a rotation, for itself and for every key rotated from it. An access
 * token acts for its account, which is then the owner.
 */
export const ownerOf = ({ account, grant, key, rootKey }: Principal): string =>
  grant === undefined ? (rootKey ?? key ?? account) : account

/** Looks up credentials: API keys, and access tokens if there are any. */
export class Keys extends Context.Service<
  Keys,
  {
    /** `none` if the credential is unknown, revoked or expired. */
    readonly find: (credential: string) => Effect.Effect<Option.Option<Principal>, Refused>
  }
>()("@tollgate/ledger/Keys") {}

/** Looks up access tokens. A gateway without this service takes API keys only. */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    /** `none` if the token is unknown, expired or revoked. Which resource it is for is checked by the path. */
    readonly find: (token: string) => Effect.Effect<Option.Option<Principal>, Refused>
  }
>()("@tollgate/ledger/AccessTokens") {}

/** How long it is known whether any key has a chosen value. */
const chosenMillis = 1_000

/** The id of a key whose value an operator chose. Such a value need not be a well-formed API key. */
export const chosenPrefix = "chosen_"
const longestChosen = 200

const unknown = Effect.succeed(Option.none<Principal>())

const storeFailed = () => unavailable("The key store is not available; nothing was executed.")

const isTier = (name: string): name is Exclude<Tier, "Enterprise"> => Object.hasOwn(allowances, name)

/** The limits of the tier, unless the operator set others. */
export const allowanceOf = (row: Row): Allowance => {
  const tier = row.tier === null ? fromTopUps(fromMicros(micro(amount(row, "topped_up")))) : text(row, "tier")
  const usual = isTier(tier) ? allowances[tier] : allowances.Growth
  return {
    rpm: numberOrNull(row, "rpm") ?? usual.rpm,
    tpm: numberOrNull(row, "tpm") ?? usual.tpm,
    concurrency: numberOrNull(row, "concurrency") ?? usual.concurrency
  }
}

const make = Effect.gen(function* () {
  const rows = makeRows(yield* SqlClient)
  const hash = yield* KeyHash
  const tokens = Option.getOrUndefined(yield* Effect.serviceOption(AccessTokens))
  const clock = yield* Clock
  // A revoked key stops working within a second, also if no notice of it arrives.
  const cached = new TimedCache<Option.Option<Principal>>(
    Effect.runForkWith(yield* Effect.context<never>()),
    (credential, now) => findInStore(credential, now)
  )
  const { mark } = rows
  // Whatever the notice tells: terms of a key or its account may have changed.
  yield* listen(() => cached.clear())

  /** From now on, the end no longer depends on the clock. The key is refused even if this fails. */
  const markEnded = (id: string) =>
    Effect.ignore(rows.run(`UPDATE keys SET ended = 1 WHERE id = ${mark(1)} AND ended = 0`, [id]))

  const lookUp = Effect.fnUntraced(function* (credential: string, now: number) {
    const [row] = yield* rows.run(
      "SELECT k.id, COALESCE(k.root_key, k.id) AS root_key, k.account, k.ends_at, a.topped_up, a.tier, a.rpm, a.tpm," +
        " a.concurrency, a.multiplier, p.restrictions FROM keys k JOIN accounts a ON a.id = k.account" +
        " JOIN keys p ON p.id = COALESCE(k.root_key, k.id)" +
        ` WHERE k.hash = ${mark(1)} AND k.ended = 0`,
      [yield* hash.of(credential)]
    )
    if (row === undefined) return Option.none<Principal>()
    const restrictions = row.restrictions === null ? undefined : readRestrictions(text(row, "restrictions"))
    if (Math.min(numberOrNull(row, "ends_at") ?? Infinity, restrictions?.endsAt ?? Infinity) <= now) {
      yield* markEnded(text(row, "id"))
      return Option.none<Principal>()
    }
    return Option.some<Principal>({
      account: text(row, "account"),
      key: text(row, "id"),
      rootKey: text(row, "root_key"),
      allowance: allowanceOf(row),
      multiplier: amount(row, "multiplier"),
      ...(restrictions === undefined ? {} : { restricted: restrictedBy(restrictions) })
    })
  })

  /** Whether any key has a chosen value. If none has, a credential that is not well formed needs no look-up. */
  let chosen = { value: false, at: Number.POSITIVE_INFINITY }
  const anyChosen = Effect.fnUntraced(function* (now: number) {
    if (now >= chosen.at && now - chosen.at < chosenMillis) return chosen.value
    // If the store fails the last result stands, so that a malformed credential still gets 401.
    const exists = yield* doesNotTouchLedger(
      rows.run(`SELECT id FROM keys WHERE id LIKE '${chosenPrefix}%' LIMIT 1`, [])
    ).pipe(
      Effect.map((found) => found.length > 0),
      Effect.orElseSucceed(() => chosen.value)
    )
    chosen = { value: exists, at: now }
    return exists
  })

  const findInStore = Effect.fnUntraced(function* (credential: string, now: number) {
    if (!ApiKey.isWellFormed(credential) && !(credential.length <= longestChosen && (yield* anyChosen(now)))) {
      return Option.none<Principal>()
    }
    const found = yield* doesNotTouchLedger(lookUp(credential, now))
    // A miss is not cached: a new key works at once.
    if (Option.isSome(found)) cached.set(credential, found, now)
    else cached.delete(credential)
    return found
  }, Effect.mapError(storeFailed))

  /** A key with a chosen value may look like a token, so keys come first. */
  const findKeyOrToken = (credential: string, now: number): Effect.Effect<Option.Option<Principal>, Refused> => {
    const key = findInStore(credential, now)
    if (tokens === undefined || credential.startsWith(ApiKey.prefix)) return key
    return Effect.flatMap(key, (found) => (Option.isSome(found) ? Effect.succeed(found) : tokens.find(credential)))
  }

  const find = (credential: string): Effect.Effect<Option.Option<Principal>, Refused> => {
    const now = clock.currentTimeMillisUnsafe()
    const known = cached.get(credential, now)
    if (known !== undefined) return Effect.succeed(known)
    return credential === "" ? unknown : findKeyOrToken(credential, now)
  }

  return Keys.of({ find })
})

export const layer: Layer.Layer<Keys, never, SqlClient | KeyHash> = Layer.effect(Keys, make)
