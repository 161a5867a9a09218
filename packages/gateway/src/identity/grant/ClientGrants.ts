import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { SqlClient } from "effect/sql/SqlClient"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import { oneAtATime } from "@tollgate/ledger/fleet/lease"
import { refuse, type Refused, unavailable } from "@tollgate/contract/errors/Refused"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import * as Rows from "@tollgate/ledger/store/rows"
import { principalColumns, principalOf } from "./Allowed.ts"
import { type Grant, Grants, type GrantTerms, lifetimeMillis } from "./Grants.ts"
import { isScope } from "./scopes.ts"

/** What another authorization server says of a token, after the token was verified. */
export interface IssuedToken {
  readonly account: string
  /** Unique among the clients of all issuers. */
  readonly client: Grant["client"]
  readonly scopes: ReadonlySet<string>
  /** The resource for which it was issued. */
  readonly resource: string
}

type FirstTerms = Pick<GrantTerms, "limit" | "dayLimit" | "askAbove">

/** The grants of clients whose users sign in at another authorization server: one for each client and account. */
export class ClientGrants extends Context.Service<
  ClientGrants,
  {
    /** Whom the token stands for. The first token of a client makes its grant, with these terms. */
    readonly principalOf: (token: IssuedToken, terms: FirstTerms) => Effect.Effect<Principal, Refused>
  }
>()("@tollgate/gateway/ClientGrants") {
  static readonly layer: Layer.Layer<ClientGrants, never, Grants | SqlClient> = Layer.suspend(() =>
    Layer.effect(ClientGrants, make)
  )
}

const noAccount = refuse("access_denied", "The access token is valid, but no account of this gateway belongs to it.")
const takenBack = refuse("access_denied", "The access of this client to the account was revoked.")

/** A grant that ended before its time was taken back or given a nearer end, and stays so: its client could renew the token without asking. */
const wasTakenBack = ({ createdAt, ended, endsAt }: Grant): boolean => ended && endsAt - createdAt < lifetimeMillis

const maxKnown = 10_000

const make = Effect.gen(function* () {
  const grants = yield* Grants
  const sql = yield* SqlClient
  const rows = Rows.make(sql)
  const turn = Semaphore.makeUnsafe(1)
  const known = new Map<string, string>()
  const columns = rows.literal(principalColumns)

  const findOrMake = Effect.fnUntraced(function* (token: IssuedToken, terms: FirstTerms) {
    const { account, client, scopes } = token
    const own = (yield* grants.list(account)).filter(({ client: { id } }) => id === client.id)
    if (own.some(wasTakenBack)) return yield* takenBack
    const current = own.find(({ ended }) => !ended)
    if (current !== undefined) return current.id
    const made = grants.give({ account, client, ...terms, scopes: [...scopes].filter(isScope) })
    return (yield* Effect.catchTag(made, "AccountsError", () => Effect.fail(noAccount))).id
  })

  const idOf = (token: IssuedToken, terms: FirstTerms) =>
    findOrMake(token, terms).pipe(
      oneAtATime(`grant ${token.account} ${token.client.id}`),
      Effect.provideService(SqlClient, sql),
      turn.withPermit
    )

  /** Not cached: what is taken back stops at once. */
  const termsOf = Effect.fnUntraced(function* (id: string) {
    const now = yield* Clock.currentTimeMillis
    const [row] = yield* rows.query`SELECT ${columns} FROM keys k
      JOIN grants g ON g.id = k.id JOIN accounts a ON a.id = k.account
      WHERE k.id = ${id} AND k.is_grant = 1 AND k.ended = 0 AND k.ends_at > ${now}`
    return Option.fromNullishOr(row)
  }, doesNotTouchLedger)

  const findPrincipal = Effect.fnUntraced(
    function* (token: IssuedToken, terms: FirstTerms) {
      const { account, client, resource, scopes } = token
      const name = `${account} ${client.id}`
      let id = known.get(name) ?? (yield* idOf(token, terms))
      let row = yield* termsOf(id)
      if (Option.isNone(row)) {
        known.delete(name)
        id = yield* idOf(token, terms)
        row = yield* termsOf(id)
      }
      if (Option.isNone(row)) return yield* takenBack
      if (known.size >= maxKnown) known.clear()
      known.set(name, id)
      return principalOf(row.value, { id, scopes, resource })
    },
    Effect.catchTag("SqlError", () =>
      Effect.fail(unavailable("The store of grants is not available; nothing was executed."))
    )
  )

  return ClientGrants.of({ principalOf: findPrincipal })
})
