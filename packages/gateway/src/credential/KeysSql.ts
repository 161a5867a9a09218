import { allowances, fromTopUps, type Allowance, type Tier } from "@tollgate/contract/Tier"
import { fromMicros, micro } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { refuse, type Refused } from "../Refused.ts"
import { amount, numberOrNull, type Row, text } from "../store/rows.ts"
import * as Rows from "../store/rows.ts"
import { doesNotTouchLedger } from "../store/EmbeddedStore.ts"
import * as ApiKey from "./ApiKey.ts"
import { KeyHash } from "./KeyHash.ts"
import { Keys, type Principal } from "./Keys.ts"

/** How long a look-up is cached. A revoked key stops working within this time. */
const cacheMillis = 1_000
const maxCached = 10_000

/** The id of a key whose value an operator chose. Such a value need not be a well-formed API key. */
export const chosenPrefix = "chosen_"
const longestChosen = 200

const unknown = Effect.succeed(Option.none<Principal>())

const unavailable = () =>
  refuse("billing_unavailable", "The key store is not available; nothing was executed.", { retryAfter: 1_000 })

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
  const rows = Rows.make(yield* SqlClient)
  const hash = yield* KeyHash
  const cached = new Map<string, { readonly found: Option.Option<Principal>; readonly until: number }>()

  const lookUp = Effect.fnUntraced(function* (credential: string, now: number) {
    const { mark } = rows
    const [row] = yield* rows.run(
      "SELECT k.id, COALESCE(k.purse, k.id) AS root_key, k.account, a.topped_up, a.tier, a.rpm, a.tpm, a.concurrency, a.multiplier" +
        " FROM keys k JOIN accounts a ON a.id = k.account" +
        ` WHERE k.hash = ${mark(1)} AND (k.ends_at IS NULL OR k.ends_at > ${mark(2)})`,
      [yield* hash.of(credential), now]
    )
    return Option.map(Option.fromNullishOr(row), (row): Principal => ({
      account: text(row, "account"),
      key: text(row, "id"),
      rootKey: text(row, "root_key"),
      allowance: allowanceOf(row),
      multiplier: amount(row, "multiplier")
    }))
  })

  /** Whether any key has a chosen value. If none has, a credential that is not well formed needs no look-up. */
  let chosen = { any: false, until: 0 }
  const anyChosen = Effect.fnUntraced(function* (now: number) {
    if (chosen.until > now) return chosen.any
    // If the store fails the last result stands, so that a malformed credential still gets 401.
    const any = yield* doesNotTouchLedger(
      rows.run(`SELECT id FROM keys WHERE id LIKE '${chosenPrefix}%' LIMIT 1`, [])
    ).pipe(
      Effect.map((found) => found.length > 0),
      Effect.orElseSucceed(() => chosen.any)
    )
    chosen = { any, until: now + cacheMillis }
    return any
  })

  const findInStore = Effect.fnUntraced(function* (credential: string, now: number) {
    if (!ApiKey.isWellFormed(credential) && !(credential.length <= longestChosen && (yield* anyChosen(now)))) {
      return Option.none<Principal>()
    }
    const found = yield* doesNotTouchLedger(lookUp(credential, now))
    if (cached.size >= maxCached) cached.clear()
    // A miss is not cached: a new key works at once.
    if (Option.isSome(found)) cached.set(credential, { found, until: now + cacheMillis })
    return found
  }, Effect.mapError(unavailable))

  const find = (credential: string): Effect.Effect<Option.Option<Principal>, Refused> =>
    Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const known = cached.get(credential)
      if (known !== undefined && known.until > now) return Effect.succeed(known.found)
      return credential === "" ? unknown : findInStore(credential, now)
    })

  return Keys.of({ find })
})

export const layer: Layer.Layer<Keys, never, SqlClient | KeyHash> = Layer.effect(Keys, make)
