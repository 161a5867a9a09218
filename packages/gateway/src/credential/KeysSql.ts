import * as Clock from "effect/Clock"
import type { Mac } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { type Refused, refuse } from "../Refused.ts"
import * as ApiKey from "./ApiKey.ts"
import * as KeyHash from "./KeyHash.ts"
import { Keys, type Principal } from "./Keys.ts"

/** How long a look-up is trusted: a revocation is seen within this time. */
const trustMillis = 1_000
const mostTrusted = 10_000

const longestChosen = 200

const account = "default"

const keyPrefix = "key_"
const chosenPrefix = "chosen_"

const unknown = Effect.succeed(Option.none<Principal>())

const unavailable = () =>
  refuse("billing_unavailable", "The store of keys is not available; nothing was executed.", { retryAfter: 1_000 })

const make = Effect.fnUntraced(function* (options: { readonly secret: Redacted.Redacted<Uint8Array> }) {
  const sql = yield* SqlClient
  const hash = yield* KeyHash.make(options.secret)
  const trusted = new Map<string, { readonly found: Option.Option<Principal>; readonly until: number }>()

  // An operator may choose a key of another form, now or at an earlier start: only then is a credential without the
  // checksum worth a look-up. A store that cannot say is asked each time.
  let chosen = yield* sql<{
    readonly id: string
  }>`SELECT id FROM keys WHERE id LIKE ${`${chosenPrefix}%`} LIMIT 1`.pipe(
    Effect.map((rows) => rows.length > 0),
    Effect.orElseSucceed(() => true)
  )

  const lookUp = Effect.fnUntraced(function* (credential: string) {
    const rows = yield* sql<{ readonly id: string; readonly account: string }>`
      SELECT id, account FROM keys WHERE hash = ${yield* hash(credential)} AND revoked_at IS NULL`
    return Option.map(Option.fromNullishOr(rows[0]), (row): Principal => ({ account: row.account, key: row.id }))
  })

  const remember = Effect.fnUntraced(function* (credential: string, now: number) {
    const found = yield* Effect.mapError(lookUp(credential), unavailable)
    if (trusted.size >= mostTrusted) trusted.clear()
    trusted.set(credential, { found, until: now + trustMillis })
    return found
  })

  const find = (credential: string): Effect.Effect<Option.Option<Principal>, Refused> =>
    Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const known = trusted.get(credential)
      if (known !== undefined && known.until > now) return Effect.succeed(known.found)
      const plausible = ApiKey.isWellFormed(credential) || (chosen && credential.length <= longestChosen)
      return plausible ? remember(credential, now) : unknown
    })

  const add = Effect.fnUntraced(function* (key: Redacted.Redacted, label: string) {
    const now = yield* Clock.currentTimeMillis
    const hashed = yield* hash(Redacted.value(key))
    const wellFormed = ApiKey.isWellFormed(Redacted.value(key))
    const principal: Principal = { account, key: `${wellFormed ? keyPrefix : chosenPrefix}${hashed.slice(0, 16)}` }
    yield* sql`INSERT INTO accounts ${sql.insert({ id: account, label: "Default account", created_at: now })}
      ON CONFLICT DO NOTHING`
    yield* sql`INSERT INTO keys ${sql.insert({ id: principal.key, account, hash: hashed, label, created_at: now })}
      ON CONFLICT DO NOTHING`
    if (!wellFormed) chosen = true
    trusted.delete(Redacted.value(key))
    return principal
  }, Effect.mapError(unavailable))

  const isEmpty = sql<{ readonly id: string }>`SELECT id FROM keys LIMIT 1`.pipe(
    Effect.map((rows) => rows.length === 0),
    Effect.mapError(unavailable)
  )

  return Keys.of({ find, add, isEmpty })
})

export const layer = (options: {
  readonly secret: Redacted.Redacted<Uint8Array>
}): Layer.Layer<Keys, never, SqlClient | Mac> => Layer.effect(Keys, make(options))
