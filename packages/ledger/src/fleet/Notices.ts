import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { dialectOf } from "../store/statements.ts"

export const channel = "tollgate"

/**
 * What a gateway or a command tells the gateways on the same store, the sender included: terms of keys or accounts were
 * changed, the configuration is to be read again, another gateway wants the answer of a call, or the call of an idempotency key is
 * to end. `missed`: notices may have been lost while there was no connection.
 */
const Sent = Schema.Union([
  Schema.Struct({ kind: Schema.Literals(["keys", "accounts"]) }),
  Schema.Struct({ kind: Schema.Literal("config"), reload: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("answer"), call: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("cancel"), id: Schema.String, rootKey: Schema.String })
])
export type Notice = typeof Sent.Type | { readonly kind: "missed" }

/** Notices as they arrive. A store for one gateway has none. */
export class Notices extends Context.Service<
  Notices,
  {
    readonly listen: (run: (notice: Notice) => void) => void
  }
>()("@tollgate/ledger/Notices") {}

/** `undefined`: it is not one of ours, or of a later version. */
export const parse = (payload: string): Notice | undefined => Option.getOrUndefined(decode(payload))

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Sent))

/** Sent when the transaction commits, if there is one. Other stores have one gateway, which needs no notice. */
export const notify = (sql: SqlClient, notice: Notice): Effect.Effect<void, SqlError> =>
  dialectOf(sql).isShared ? Effect.asVoid(sql`SELECT pg_notify(${channel}, ${JSON.stringify(notice)})`) : Effect.void

export const listen = (run: (notice: Notice) => void): Effect.Effect<void> =>
  Effect.map(Effect.serviceOption(Notices), (notices) => {
    if (Option.isSome(notices)) notices.value.listen(run)
  })
