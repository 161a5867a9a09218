import { Typed } from "@tollgate/contract/Open"
import * as Operation from "@tollgate/contract/Operation"
import { AnyQuery } from "@tollgate/contract/QueryStyle"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { call } from "../call/call.ts"
import type { Client } from "../Client.ts"
import type { CallError } from "../errors/errors.ts"

type Method = "GET" | "POST" | "PATCH"
type Replay = "free" | "create"

const path = /* @__PURE__ */ Schema.Record(Schema.String, Schema.String)
const reading = { path, query: AnyQuery }
const changing = { path, body: /* @__PURE__ */ Typed<object>() }

// Answers are of the gateway that describes them, so they are not checked.
const operationOf = <A extends object, R extends Operation.Request>(
  id: string,
  method: Method,
  path: string,
  replay: Replay,
  request: R
) =>
  Operation.make({
    id,
    category: "account",
    summary: "",
    method,
    path,
    request,
    success: Typed<A>(),
    errors: [400, 401, 403, 404, 409, 429, 500, 503],
    family: "data",
    price: { contract: "free" },
    replay,
    upstream: "gateway"
  })

export type AccountError = CallError<ReturnType<typeof operationOf>>

export type Request<A> = Effect.Effect<A, AccountError, Client>

const texts = (values: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  )

const bodyOf = (given: unknown, field: string | undefined): object => {
  if (field === undefined) return given ?? {}
  return given === undefined ? {} : { [field]: given }
}

/**
 * The function of a route. Its arguments are the parameters in the path, in order, and then the query or the body, or the
 * only field of the body. With the replay class `create` it is not retried, unless it was surely not carried out.
 */
const route =
  (method: Method) =>
  <Arguments extends ReadonlyArray<unknown>, A extends object>(
    id: string,
    path: string,
    { field, replay = "free" }: { readonly field?: string; readonly replay?: Replay } = {}
  ): ((...given: Arguments) => Request<A>) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)
    const pathOf = (given: Arguments) => texts(Object.fromEntries(names.map((name, i) => [name, given[i]])))
    if (method === "GET") {
      const read = call(operationOf<A, typeof reading>(id, method, path, replay, reading))
      return (...given) => read({ path: pathOf(given), query: texts(given[names.length] ?? {}) })
    }
    const change = call(operationOf<A, typeof changing>(id, method, path, replay, changing))
    return (...given) => change({ path: pathOf(given), body: bodyOf(given[names.length], field) })
  }

export const get = /* @__PURE__ */ route("GET")
export const post = /* @__PURE__ */ route("POST")
export const patch = /* @__PURE__ */ route("PATCH")
