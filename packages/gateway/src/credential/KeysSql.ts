import { allowances, fromTopUps, type Allowance, type Tier } from "@tollgate/contract/Tier"
import { fromMicros, micro } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { refuse, type Refused } from "../Refused.ts"
import { amount, numberOrNull, type Row, text } from "../store/rows.ts"
import * as Rows from "../store/rows.ts"
import { apart } from "../store/Transaction.ts"
import * as ApiKey from "./ApiKey.ts"
import { KeyHash } from "./KeyHash.ts"
import { Keys, type Principal } from "./Keys.ts"

/** How long a look-up is trusted: a revocation is seen within this time. */
const trustMillis = 1_000
const mostTrusted = 10_000

/** A key that an operator chose has an id of this form, and not the shape that ours have. */
export const chosenPrefix = "chosen_"
const longestChosen = 200

const unknown = Effect.succeed(Option.none<Principal>())

const unavailable = () =>
  refuse("billing_unavailable", "The store of keys is not available; nothing was executed.", { retryAfter: 1_000 })

const isTier = (name: string): name is Exclude<Tier, "Enterprise"> => Object.hasOwn(allowances, name)

/** The tier's numbers, or those of an agreement where the operator set them. */
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
  const trusted = new Map<string, { readonly found: Option.Option<Principal>; readonly until: number }>()

  const lookUp = Effect.fnUntraced(function* (credential: string, now: number) {
    const { mark } = rows
    const [row] = yield* rows.run(
      "SELECT k.id, COALESCE(k.purse, k.id) AS purse, k.account, a.topped_up, a.tier, a.rpm, a.tpm, a.concurrency, a.multiplier" +
        " FROM keys k JOIN accounts a ON a.id = k.account" +
        ` WHERE k.hash = ${mark(1)} AND (k.ends_at IS NULL OR k.ends_at > ${mark(2)})`,
      [yield* hash.of(credential), now]
    )
    return Option.map(Option.fromNullishOr(row), (row): Principal => ({
      account: text(row, "account"),
      key: text(row, "id"),
      purse: text(row, "purse"),
      allowance: allowanceOf(row),
      multiplier: amount(row, "multiplier")
    }))
  })

  /** Whether any key is of an operator's own choosing: only then is a credential without a checksum worth a look-up. */
  let chosen = { any: false, until: 0 }
  const anyChosen = Effect.fnUntraced(function* (now: number) {
    if (chosen.until > now) return chosen.any
    // Without the store the last word stands: where no key was chosen, a wrong one is still just wrong.
    const any = yield* apart(rows.run(`SELECT id FROM keys WHERE id LIKE '${chosenPrefix}%' LIMIT 1`, [])).pipe(
      Effect.map((found) => found.length > 0),
      Effect.orElseSucceed(() => chosen.any)
    )
    chosen = { any, until: now + trustMillis }
    return any
  })

  const remember = Effect.fnUntraced(function* (credential: string, now: number) {
    if (!ApiKey.isWellFormed(credential) && !(credential.length <= longestChosen && (yield* anyChosen(now)))) {
      return Option.none<Principal>()
    }
    const found = yield* apart(lookUp(credential, now))
    if (trusted.size >= mostTrusted) trusted.clear()
    // What was not found is not remembered: a key works as soon as it is made.
    if (Option.isSome(found)) trusted.set(credential, { found, until: now + trustMillis })
    return found
  }, Effect.mapError(unavailable))

  const find = (credential: string): Effect.Effect<Option.Option<Principal>, Refused> =>
    Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const known = trusted.get(credential)
      if (known !== undefined && known.until > now) return Effect.succeed(known.found)
      return credential === "" ? unknown : remember(credential, now)
    })

  return Keys.of({ find })
})

export const layer: Layer.Layer<Keys, never, SqlClient | KeyHash> = Layer.effect(Keys, make)
