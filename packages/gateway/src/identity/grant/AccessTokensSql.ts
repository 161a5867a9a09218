import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { KeyHash } from "@tollgate/ledger/credential/KeyHash"
import { AccessTokens, type Principal } from "@tollgate/ledger/credential/Keys"
import { unavailable } from "@tollgate/contract/errors/Refused"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import * as Rows from "@tollgate/ledger/store/rows"
import { principalColumns, principalOf } from "./Allowed.ts"
import { consoleId, isServiceAccountId } from "./Grants.ts"

/** As the authorization server makes them. Anything else needs no look-up. */
const shape = /^[\w-]{20,100}$/

export const model = "AccessToken"

export const hashed = (model: string, id: string): string => `${model} ${id}`

const storeFailed = () => unavailable("The store of access tokens is not available; nothing was executed.")

const make = Effect.gen(function* () {
  const rows = Rows.make(yield* SqlClient)
  const hash = yield* KeyHash
  const columns = rows.literal(principalColumns)

  // Not cached: a revoked token stops at once, whichever gateway revoked it.
  const lookUp = Effect.fnUntraced(function* (token: string) {
    const now = yield* Clock.currentTimeMillis
    const id = yield* hash.of(hashed(model, token))
    const [row] = yield* rows.query`SELECT o.grant_id, o.scopes, o.resource, g.client_id, ${columns} FROM oauth o
      JOIN keys k ON k.id = o.grant_id JOIN grants g ON g.id = k.id JOIN accounts a ON a.id = k.account
      WHERE o.model = ${model} AND o.id = ${id} AND o.expires_at > ${now}
      AND k.is_grant = 1 AND k.ended = 0 AND k.ends_at > ${now}`
    if (row === undefined) return Option.none<Principal>()
    const client = Rows.text(row, "client_id")
    return Option.some(
      principalOf(row, {
        id: Rows.text(row, "grant_id"),
        scopes: new Set(Rows.text(row, "scopes").split(" ")),
        resource: Rows.text(row, "resource"),
        isServiceAccount: isServiceAccountId(client),
        isConsole: client === consoleId
      })
    )
  })

  return AccessTokens.of({
    find: (token) =>
      shape.test(token)
        ? Effect.mapError(doesNotTouchLedger(lookUp(token)), storeFailed)
        : Effect.succeed(Option.none())
  })
})

/** The tokens of the built-in authorization server. */
export const layer: Layer.Layer<AccessTokens, never, SqlClient | KeyHash> = Layer.effect(AccessTokens, make)
