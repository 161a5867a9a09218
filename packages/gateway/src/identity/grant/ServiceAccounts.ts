import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountsError } from "@tollgate/ledger/account/Accounts"
import { KeyHash } from "@tollgate/ledger/credential/KeyHash"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import * as Rows from "@tollgate/ledger/store/rows"
import { type Grant, Grants, type GrantTerms, isServiceAccountId, serviceAccountId } from "./Grants.ts"
import { isScope, type Scope } from "./scopes.ts"

/** Without an amount above which somebody is asked: nobody is there. */
type ServiceAccountTerms = Pick<GrantTerms, "limit"> & Partial<Omit<GrantTerms, "limit" | "askAbove">>

interface NewServiceAccount extends ServiceAccountTerms {
  readonly account: string
  readonly name: string
  /** Whether it may also read what the account used. */
  readonly readsUsage: boolean
}

/** A client that gets tokens with its secret, for the account that its grant is of. */
export interface ServiceAccount {
  readonly id: string
  readonly name: string
  readonly grant: string
  readonly scopes: ReadonlyArray<Scope>
  readonly digest: string
}

/** Clients without a person (RFC 6749, 4.4). The operator makes them. Each has a grant of its own, which limits and ends it. */
export class ServiceAccounts extends Context.Service<
  ServiceAccounts,
  {
    /** The secret is in this answer alone. */
    readonly create: (
      machine: NewServiceAccount
    ) => Effect.Effect<{ readonly grant: Grant; readonly secret: Redacted.Redacted }, AccountsError | SqlError>
    /** By the id of the client. One whose grant has ended is not there. */
    readonly find: (id: string) => Effect.Effect<Option.Option<ServiceAccount>, SqlError>
    /** What is stored of a secret: a hash with the installation's secret, as of a key. */
    readonly digestOf: (id: string, secret: string) => Effect.Effect<string>
  }
>()("@tollgate/gateway/Machines") {
  static readonly layer: Layer.Layer<ServiceAccounts, never, Grants | KeyHash | SecureRandom | SqlClient> =
    Layer.suspend(() => Layer.effect(ServiceAccounts, make))
}

/** Lets scanners recognize a leaked one. */
const secretPrefix = "tgs_"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const random = yield* SecureRandom
  const grants = yield* Grants
  const hash = yield* KeyHash
  const { query } = Rows.make(sql)

  const digestOf = (id: string, secret: string) => hash.of(`client ${id} ${secret}`)

  const lookUp = Effect.fnUntraced(function* (id: string) {
    const now = yield* Clock.currentTimeMillis
    const [row] = yield* query`SELECT g.id, g.client_name, g.scopes, g.secret FROM grants g JOIN keys k ON k.id = g.id
      WHERE g.client_id = ${id} AND g.secret IS NOT NULL AND k.ended = 0 AND k.ends_at > ${now}`
    return Option.map(Option.fromNullishOr(row), (row): ServiceAccount => ({
      id,
      name: Rows.text(row, "client_name"),
      grant: Rows.text(row, "id"),
      scopes: Rows.text(row, "scopes").split(" ").filter(isScope),
      digest: Rows.text(row, "secret")
    }))
  }, doesNotTouchLedger)

  return ServiceAccounts.of({
    create: Effect.fnUntraced(function* ({ name, readsUsage, ...terms }) {
      const id = serviceAccountId(Hex.encode(yield* random.randomBytes(10)))
      const secret = `${secretPrefix}${Hex.encode(yield* random.randomBytes(32))}`
      const scopes: ReadonlyArray<Scope> = readsUsage ? ["use", "usage"] : ["use"]
      const grant = yield* grants.give({ ...terms, scopes, client: { id, name } })
      yield* sql`UPDATE grants SET secret = ${yield* digestOf(id, secret)} WHERE id = ${grant.id}`
      return { grant, secret: Redacted.make(secret, { label: "client secret" }) }
    }, sql.withTransaction),
    find: (id) => (isServiceAccountId(id) ? lookUp(id) : Effect.succeedNone),
    digestOf
  })
})
