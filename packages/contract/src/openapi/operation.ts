import * as Schema from "effect/Schema"
import { byStatus, type DeclaredStatus } from "../errors/ApiError.ts"
import { shapes } from "../errors/shapes.ts"
import * as Headers from "../Headers.ts"
import type { Names } from "../Names.ts"
import { type Bound, isComplete, isQuotable, type ParameterPending, type Pending, type Replay } from "../Operation.ts"
import { basis } from "../price/basis.ts"
import type { Components } from "./components.ts"

const reasons: Record<DeclaredStatus, string> = {
  400: "The request is not valid",
  401: "No credential, or an unknown one",
  402: "The estimate exceeds the cap, the budget or the balance; nothing was spent",
  403: "The linked session lacks a scope",
  404: "No such route, or the upstream does not have the resource",
  409: "An idempotency conflict, or another contract hash",
  422: "The request was understood but cannot be carried out",
  429: "A rate, concurrency or spend limit was reached; wait for Retry-After",
  500: "An internal error of the gateway",
  502: "Transport to a native upstream failed",
  503: "A managed upstream, billing or a source is unavailable"
}

const header = (name: string, description: string, schema: unknown) => ({
  name,
  in: "header",
  required: false,
  description,
  schema
})

const billedHeaders = (names: Names) => [
  header(Headers.costMode(names), "`quote`: return the price without executing the call.", {
    type: "string",
    enum: ["quote"]
  }),
  header(Headers.maxPrice(names), "The most this call may cost, in decimal USD.", { type: "string" }),
  header(Headers.idempotencyKey, "Send the same key when retrying a call.", { type: "string", maxLength: 255 })
]

const parameterType = (operation: Bound, role: string): string =>
  operation.pending.find(
    (pending): pending is ParameterPending => pending.open === "parameter" && pending.role === role
  )?.type ?? "string"

const parameters = (operation: Bound, components: Components) => [
  ...(operation.request.path === undefined
    ? []
    : components
        .fields(Schema.toType(operation.request.path))
        .map(({ name, schema }) => ({ name, in: "path", required: true, schema }))),
  ...(operation.request.query === undefined
    ? []
    : components
        .fields(Schema.toType(operation.request.query))
        .map(({ name, required, schema }) => ({ name, in: "query", required, schema }))),
  ...Object.entries(operation.parameters).map(([role, name]) => ({
    name,
    in: "query",
    required: false,
    description: `Bound by the operator: ${role}.`,
    "x-role": role,
    schema: { type: parameterType(operation, role) }
  })),
  ...Object.entries(operation.request.headers ?? {}).map(([name, value]) => ({
    name,
    in: "header",
    required: true,
    schema: { type: "string", enum: [value] }
  })),
  ...(isQuotable(operation) ? billedHeaders(operation.names) : [])
]

const describePending = (pending: Pending): string =>
  pending.open === "path"
    ? "path"
    : pending.open === "parameter"
      ? `name of the ${pending.role} parameter (${pending.type})`
      : `${pending.open}: ${pending.what}`

export const definition = (operation: { readonly pending: ReadonlyArray<Pending> }) => ({
  state: operation.pending.length === 0 ? "complete" : "pending",
  ...(operation.pending.length === 0 ? {} : { open: operation.pending.map(describePending) })
})

const replays: Record<Replay, string> = {
  free: "Safe to retry.",
  billed: "Retry only on proof that it did not run, or with the same idempotency key.",
  create: "Never retry if the outcome is unknown."
}

const describe = (operation: Bound): string =>
  [operation.description, `Price: ${basis(operation.price)}.`, replays[operation.replay]]
    .filter((sentence) => sentence !== undefined)
    .join(" ")

/** One operation as an OpenAPI operation object. */
export const operationObject = (operation: Bound, components: Components) => ({
  operationId: operation.id,
  tags: [operation.category],
  summary: operation.summary,
  description: describe(operation),
  ...(operation.access === "open" ? { security: [] } : {}),
  "x-definition": definition(operation),
  "x-price-contract": operation.price.contract,
  "x-replay-class": operation.replay,
  parameters: parameters(operation, components),
  ...(operation.request.body === undefined
    ? {}
    : {
        requestBody: {
          required: true,
          content: { "application/json": { schema: components.add(operation.request.body) } }
        }
      }),
  responses: {
    "200": {
      description: isComplete(operation) ? "Success" : "Success; parts of the definition are pending",
      content: {
        [operation.contentType]: { schema: components.add(operation.success) },
        ...(operation.event === undefined ? {} : { "text/event-stream": { schema: { type: "string" } } })
      }
    },
    ...Object.fromEntries(
      operation.errors
        .toSorted((a, b) => a - b)
        .map((status) => [
          String(status),
          {
            description: `${reasons[status]} (${byStatus[status].name})`,
            content: { "application/json": { schema: errorSchema(operation, components) } }
          }
        ])
    )
  }
})

const errorSchema = (operation: Bound, components: Components) => {
  const name = `${operation.family}_error`
  components.schemas[name] ??= components.add(shapes[operation.family])
  return { $ref: `#/components/schemas/${name}` }
}
