import { attempt } from "@tollgate/contract/attempt"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { dialectOf } from "../store/statements.ts"

export const channel = "tollgate"

/**
 * What a gateway or a command tells the gateways on the same store, the sender included: terms of keys or accounts were
 * changed, the configuration is to be read again, another gateway wants the answer of a call, or the call of an idempotency key is
 * to end. `missed`: notices may have been lost while there was no connection.
 */
export type Notice =
  | { readonly kind: "keys" | "accounts" | "missed" }
  | { readonly kind: "config"; readonly reload: string }
  | { readonly kind: "answer"; readonly call: string }
  | { readonly kind: "cancel"; readonly id: string; readonly rootKey: string }

/** Notices as they arrive. A store for one gateway has none. */
export class Notices extends Context.Service<
  Notices,
  {
    readonly listen: (run: (notice: Notice) => void) => void
  }
>()("@tollgate/ledger/Notices") {}

/** `undefined`: it is not one of ours, or of a later version. */
export const parse = (payload: string): Notice | undefined => {
  const value = attempt((): unknown => JSON.parse(payload))
  if (typeof value !== "object" || value === null || !("kind" in value)) return undefined
  if (value.kind === "keys" || value.kind === "accounts") return { kind: value.kind }
  if (value.kind === "answer" && "call" in value && typeof value.call === "string") {
    return { kind: "answer", call: value.call }
  }
  if (value.kind === "cancel" && "id" in value && "rootKey" in value) {
    return { kind: "cancel", id: String(value.id), rootKey: String(value.rootKey) }
  }
  if (value.kind !== "config" || !("reload" in value) || typeof value.reload !== "string") return undefined
  return { kind: "config", reload: value.reload }
}

/** Sent when the transaction commits, if there is one. Other stores have one gateway, which needs no notice. */
export const notify = (sql: SqlClient, notice: Notice): Effect.Effect<void, SqlError> =>
  dialectOf(sql).isShared ? Effect.asVoid(sql`SELECT pg_notify(${channel}, ${JSON.stringify(notice)})`) : Effect.void

export const listen = (run: (notice: Notice) => void): Effect.Effect<void> =>
  Effect.map(Effect.serviceOption(Notices), (notices) => {
    if (Option.isSome(notices)) notices.value.listen(run)
  })
