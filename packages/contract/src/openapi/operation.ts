import type { Bound, Pending, Replay } from "../Operation.ts"
import { basis } from "../price/basis.ts"
import { sizeOf } from "../reference/words.ts"
import type { Components } from "./components.ts"
import { bodyExamples, type Named, withExamples } from "./examples.ts"
import { parameters } from "./parameters.ts"
import { responses } from "./responses.ts"
import { security } from "./security.ts"

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

const requestBody = (
  { bodyLimit, request: { body }, upstream }: Bound,
  components: Components,
  examples: ReadonlyArray<Named>
) =>
  body === undefined
    ? {}
    : {
        requestBody: {
          description: `At most ${sizeOf(bodyLimit)}.`,
          // The gateway's own operations take a missing body for an empty object.
          required: upstream !== "gateway",
          content: { "application/json": { schema: components.add(body), ...bodyExamples(examples) } }
        }
      }

/** One operation as an OpenAPI operation object. */
export const operationObject = (
  operation: Bound,
  components: Components,
  examples: ReadonlyArray<Named>,
  links: object | undefined
) => ({
  operationId: operation.id,
  tags: [operation.category],
  summary: operation.summary,
  description: describe(operation),
  security: security(operation, components),
  "x-definition": definition(operation),
  ...(operation.beyond === undefined ? {} : { "x-beyond-interface": true }),
  "x-price-contract": operation.price.contract,
  "x-price": basis(operation.price),
  "x-replay-class": operation.replay,
  "x-error-family": operation.family,
  "x-declared-errors": operation.errors,
  "x-limit-group": operation.limit,
  parameters: withExamples(parameters(operation, components), examples),
  ...requestBody(operation, components, examples),
  responses: responses(operation, components, links)
})
