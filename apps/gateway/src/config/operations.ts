import * as Catalogue from "@tollgate/contract/Catalogue"
import * as declared from "@tollgate/contract/errors/declared"
import type { Names } from "@tollgate/contract/Names"
import { fill } from "@tollgate/contract/Names"
import { Open } from "@tollgate/contract/Open"
import * as Operation from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import type { Price } from "@tollgate/contract/price/Price"
import { IntFromQuery, OpenQuery } from "@tollgate/contract/Query"
import { limits } from "@tollgate/contract/Tier"
import { Router } from "@tollgate/gateway/operator"
import * as Schema from "effect/Schema"
import * as Transformation from "effect/SchemaTransformation"
import type { Path, Problem } from "./Problem.ts"
import { unknownUpstream } from "./routes.ts"
import { text, Usd, wholeNumber } from "./values.ts"

const Parameter = Schema.Struct({
  name: text(/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/u, "a parameter name of letters, digits, _ . and -"),
  type: Schema.Literals(["string", "integer", "number", "boolean"]),
  required: Schema.optionalKey(Schema.Boolean),
  description: Schema.optionalKey(Schema.NonEmptyString)
})
type Parameter = typeof Parameter.Type

const CustomPrice = Schema.Union([
  Schema.Literal("free"),
  Schema.Struct({ amount: Usd }),
  Schema.Struct({ perItem: Usd, items: Schema.NonEmptyString, most: wholeNumber(1_000_000) })
]).annotate({ expected: '{ "amount": … }, { "perItem": …, "items": …, "most": … } or "free"' })

const categories = [...new Set(operations.map(({ category }) => category))].sort()

export const CustomOperation = Schema.Struct({
  id: text(/^[a-z0-9_]+(?:\.[a-z0-9_]+)*$/u, "an id such as weather.forecast: lower-case letters, digits, _ and dots"),
  summary: Schema.NonEmptyString,
  method: Schema.Literals(["GET", "POST"]),
  path: text(/^(?:\/[A-Za-z0-9_~.-]+)+$/u, "a path such as /apis/v1/weather, of letters, digits, _ ~ . and -"),
  parameters: Schema.optionalKey(Schema.Array(Parameter)),
  price: CustomPrice,
  maxBodyBytes: Schema.optionalKey(wholeNumber(20 * 1024 * 1024)),
  upstream: Schema.String,
  category: Schema.Literals(categories)
})
type CustomOperation = typeof CustomOperation.Type

const numberInQuery = Schema.String.check(
  Schema.isPattern(/^-?\d{1,15}(?:\.\d{1,15})?$/, { expected: "a number" })
).pipe(Schema.decodeTo(Schema.Finite, Transformation.transform({ decode: Number, encode: String })))

const inQuery = {
  string: Schema.NonEmptyString,
  integer: IntFromQuery,
  number: numberInQuery,
  boolean: Schema.Literals(["true", "false"])
} as const

const inBody: Readonly<Record<Parameter["type"], Schema.Codec<unknown, unknown>>> = {
  string: Schema.String,
  integer: Schema.Int,
  number: Schema.Finite,
  boolean: Schema.Boolean
}

const fieldsOf = <E>(
  parameters: ReadonlyArray<Parameter>,
  types: Readonly<Record<Parameter["type"], Schema.Codec<unknown, E>>>
) =>
  Object.fromEntries(
    parameters.map(({ description, name, required, type }) => {
      const schema = description === undefined ? types[type] : types[type].annotate({ description })
      return [name, required === true ? schema : Schema.optionalKey(schema)]
    })
  )

const priceOf = (price: CustomOperation["price"]): Price => {
  if (price === "free") return { contract: "free" }
  return "amount" in price
    ? { contract: "per_request", amount: price.amount }
    : { contract: "response_count", ...price }
}

const replayOf = (method: Operation.Method, isFree: boolean): Operation.Replay => {
  if (!isFree) return "billed"
  // The ledger does not protect free calls from running twice, and a POST may have side effects.
  return method === "GET" ? "free" : "create"
}

const toOperation = ({
  category,
  id,
  maxBodyBytes = Operation.bodyLimits.data,
  method,
  parameters = [],
  path,
  price,
  summary
}: CustomOperation) =>
  Operation.make({
    id,
    category,
    summary,
    method,
    path,
    request:
      method === "GET"
        ? { query: OpenQuery(fieldsOf(parameters, inQuery)) }
        : { body: Open(fieldsOf(parameters, inBody)) },
    success: Open({}),
    errors: price === "free" ? declared.free : declared.billed,
    family: "data",
    price: priceOf(price),
    limit: limits.standard,
    bodyLimit: maxBodyBytes,
    replay: replayOf(method, price === "free"),
    upstream: "managed",
    pending: [{ open: "response", what: "body" }]
  })

export interface Custom {
  readonly operation: Operation.Operation
  /** The name of the upstream that executes it. */
  readonly upstream: string
}

/** Paths that the gateway uses itself or may use later. */
const reserved = /^\/(?:admin|api|docs|mcp|oauth|\.well-known|console|healthz|readyz)(?:\/|$)/

export const resolve = (
  file: ReadonlyArray<CustomOperation>,
  names: Names,
  bindings: Readonly<Record<string, Operation.Binding>>,
  upstreams: ReadonlyArray<string>
): { readonly custom: ReadonlyArray<Custom>; readonly problems: ReadonlyArray<Problem> } => {
  const problems: Array<Problem> = []
  const ids = new Set(operations.map(({ id }) => fill(id, names)))
  const routes = new Set<string>()
  const router = Router.make(Catalogue.make(operations, names, bindings).bound)
  const custom = file.map((written, i) => {
    const at: Path = ["operations", i]
    const { id, method, parameters = [], path, upstream } = written
    const route = `${method} ${path}`
    const add = (key: string, message: string) => problems.push({ path: [...at, key], message })
    if (ids.has(id)) add("id", "another operation has this id")
    if (reserved.test(path)) add("path", "this path is reserved for the gateway")
    const builtIn = router.match(path)?.operations.get(method)
    if (builtIn !== undefined) add("path", `${builtIn.id} already has ${method} on this path`)
    else if (routes.has(route)) add("path", `another operation already has ${method} on this path`)
    if (!upstreams.includes(upstream)) add("upstream", unknownUpstream(upstream, upstreams))
    parameters.forEach(({ name }, j) => {
      if (parameters.findIndex((other) => other.name === name) < j) {
        problems.push({ path: [...at, "parameters", j, "name"], message: "another parameter has this name" })
      }
    })
    ids.add(id)
    routes.add(route)
    return { operation: toOperation(written), upstream }
  })
  return { custom, problems }
}
