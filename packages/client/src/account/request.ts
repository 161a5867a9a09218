import { Typed } from "@tollgate/contract/Open"
import * as Operation from "@tollgate/contract/Operation"
import { AnyQuery } from "@tollgate/contract/Query"
import { limits } from "@tollgate/contract/Tier"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError } from "../errors.ts"

const common = {
  category: "account",
  summary: "",
  errors: [400, 401, 403, 404, 409, 429, 500, 503],
  family: "data",
  price: { contract: "free" },
  limit: limits.standard,
  replay: "free",
  upstream: "gateway"
} as const

const reading = <A extends object>(id: string, path: string) =>
  Operation.make({
    ...common,
    id,
    path,
    method: "GET",
    request: { path: Schema.Record(Schema.String, Schema.String), query: AnyQuery },
    success: Typed<A>()
  })

export type AccountError = CallError<ReturnType<typeof reading>>

type Values = Readonly<Record<string, string | number | undefined>>
export type Request<A> = Effect.Effect<A, AccountError, Client>

const texts = (values: Values): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]))
  )

/** A request that changes nothing. Parameters in braces in its path come from `path`. */
export const read = <A extends object>(id: string, path: string) => {
  const send = call(reading<A>(id, path))
  return (input: { readonly path?: Values; readonly query?: object } = {}, options?: CallOptions): Request<A> =>
    send({ path: texts(input.path ?? {}), query: texts((input.query ?? {}) as Values) }, options)
}

/**
 * A request that changes something. It is not retried, unless it was surely not carried out. With the replay class `free` it
 * is: for one that changes nothing, or nothing twice.
 */
export const change = <A extends object, B extends object = object>(
  id: string,
  path: string,
  method: "POST" | "PATCH" = "POST",
  replay: "create" | "free" = "create"
) => {
  const send = call(
    Operation.make({
      ...common,
      id,
      path,
      method,
      replay,
      request: { path: Schema.Record(Schema.String, Schema.String), body: Typed<B>() },
      success: Typed<A>()
    })
  )
  return (input: { readonly path?: Values; readonly body: B }, options?: CallOptions) =>
    send({ path: texts(input.path ?? {}), body: input.body as never }, options)
}
