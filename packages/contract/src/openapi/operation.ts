import type { Bound, Pending } from "../Operation.ts"
import { basis } from "../price/contracts.ts"
import { replays, sizeOf } from "../reference/words.ts"
import type { Components } from "./components.ts"
import { bodyExamples, type Named, withExamples } from "./examples.ts"
import { parameters } from "./parameters.ts"
import { responses } from "./responses.ts"
import { errorFamilies } from "../errors/families.ts"
import { isShared } from "../operations/modelGet.ts"
import { familiesAt } from "./headers.ts"

const key = "An API key, as the official SDKs send it."

const schemes = {
  bearer: { type: "http", scheme: "bearer", description: "An API key or an OAuth access token." },
  "x-api-key": { type: "apiKey", in: "header", name: "x-api-key", description: key },
  "x-goog-api-key": { type: "apiKey", in: "header", name: "x-goog-api-key", description: key },
  key: {
    type: "apiKey",
    in: "query",
    name: "key",
    description: `${key} Other places are safer: addresses are often logged.`
  }
}

type Scheme = keyof typeof schemes

const schemesOf = (operation: Bound): ReadonlyArray<Scheme> => {
  if (operation.access === "open") return []
  const own = familiesAt(operation).flatMap((name) => {
    const { keyHeader, keyParameter } = errorFamilies[name]
    // At a shared address only a header tells whose SDK calls.
    return [keyHeader, isShared(operation.id) ? undefined : keyParameter].filter((place) => place !== undefined)
  })
  return ["bearer", ...own]
}

/** Where the credential of an operation may stand; one place is enough. */
const security = (operation: Bound, components: Components) =>
  schemesOf(operation).map((name) => {
    components.securitySchemes[name] ??= schemes[name]
    return { [name]: [] }
  })

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

const describe = (operation: Bound): string =>
  [operation.description, `Price: ${basis(operation.price)}.`, replays[operation.replay]]
    .filter((sentence) => sentence !== undefined)
    .join(" ")

const requestBody = (
  { bodyLimit, request: { body, bodyType = "application/json", optionalBody }, upstream }: Bound,
  components: Components,
  examples: ReadonlyArray<Named>
) =>
  body === undefined
    ? {}
    : {
        requestBody: {
          description: `At most ${sizeOf(bodyLimit)}.`,
          // The gateway's own operations take a missing body for an empty object.
          required: upstream !== "gateway" && optionalBody !== true,
          content: { [bodyType]: { schema: components.add(body), ...bodyExamples(examples) } }
        }
      }

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
  ...(operation.aliases === undefined ? {} : { "x-aliases": operation.aliases }),
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
