import type { DiscoveredSnippets, SnippetsRequest } from "@tollgate/contract/account/Offer"
import { errorFamilies } from "@tollgate/contract/errors/families"
import { fill } from "@tollgate/contract/Names"
import type { Bound, Operation } from "@tollgate/contract/Operation"
import type { Example } from "@tollgate/contract/reference/Example"
import { examplesOf } from "@tollgate/contract/reference/examples"
import { snippetsOf } from "@tollgate/contract/reference/snippets/snippets"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Gateway } from "../../call/Gateway.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { textOf } from "../catalogue/arguments.ts"
import { type Field, fieldsOf } from "../catalogue/fields.ts"

type Arguments = Readonly<Record<string, unknown>>

/** Code has one line and its indent for each value: these bound how much of it there is. */
const mostLevels = 24
const mostValues = 1_000

/** What there is too much of. */
const excess = (given: Arguments): string | undefined => {
  let values = 0
  const isDeeper = (value: unknown, levels: number): boolean => {
    values++
    if (!Predicate.isObjectOrArray(value) || values > mostValues) return false
    return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1))
  }
  if (isDeeper(given, mostLevels)) return `${mostLevels} levels`
  return values > mostValues ? `${mostValues} values` : undefined
}

/** Examples name a pending parameter by its role. */
const exampleName = ({ parameters }: Bound, { sentAs }: Field): string =>
  Object.entries(parameters).find(([, name]) => name === sentAs)?.[0] ?? sentAs

/** Gemini has one path for a stream, and a parameter that asks for events. It is in no schema of a request. */
const asksByQuery = ({ event, family, request }: Bound): boolean =>
  event !== undefined && errorFamilies[family].streamsByPath === true && request.query === undefined

const isStream = ({ contentType, event }: Bound, body: Arguments, query: Arguments): boolean =>
  event !== undefined && (body.stream === true || query.alt === "sse" || contentType === "text/event-stream")

/** Sets or removes what asks for a stream. Without a wish it stays as it is. */
const wished = (operation: Bound, given: Arguments, wish: boolean | undefined): Arguments => {
  if (wish === undefined || operation.event === undefined) return given
  const asking = asksByQuery(operation) ? "alt" : "stream"
  const others = Object.fromEntries(Object.entries(given).filter(([name]) => name !== asking))
  return wish ? { ...others, [asking]: asking === "alt" ? "sse" : true } : others
}

/** The request that these arguments make. What the operation would refuse is written all the same. */
const exampleOf = (operation: Bound, described: Operation, given: Arguments): Result.Result<Example, string> => {
  const tooMany = excess(given)
  if (tooMany !== undefined) return Result.fail(`arguments: have more than ${tooMany}.`)
  const { byName, others } = fieldsOf(operation)
  const hasBody = operation.request.body !== undefined
  const path: Array<readonly [string, string]> = []
  const query: Array<readonly [string, string]> = []
  const body: Array<readonly [string, unknown]> = []
  let whole: unknown
  for (const [name, value] of Object.entries(given)) {
    const field = byName.get(name)
    const isAsking = name === "alt" && asksByQuery(operation)
    const part = field?.part ?? (isAsking ? "query" : (others ?? (hasBody ? "body" : "query")))
    if (field?.isWhole === true) whole = value
    else if (part === "body") body.push([field?.sentAs ?? name, value])
    else if (value !== null) {
      const text = textOf(name, value, field?.schema)
      if (Result.isFailure(text)) return Result.fail(text.failure)
      if (!text.success.isWellFormed() || !name.isWellFormed()) {
        return Result.fail(`${name.toWellFormed()}: is not valid Unicode text.`)
      }
      const sentAs = field === undefined ? name : exampleName(operation, field)
      ;(part === "path" ? path : query).push([sentAs, text.success])
    }
  }
  const { headers } = examplesOf(described)[0]
  // Not an empty object with fields set: a field may have any name.
  const [inPath, inQuery, inBody] = [Object.fromEntries(path), Object.fromEntries(query), Object.fromEntries(body)]
  return Result.succeed({
    ...(headers === undefined ? {} : { headers }),
    path: inPath,
    query: inQuery,
    ...(hasBody ? { body: whole ?? inBody } : {}),
    ...(isStream(operation, inBody, inQuery) ? { contentType: "text/event-stream" } : {})
  })
}

const unknownOperation = refuse("route_not_found", "operation: there is none with this id.", { param: "operation" })

/** The code of the caller's call. It reads the key from the environment. */
export const snippetsOfCall = (
  { catalogue }: Gateway,
  baseUrl: string,
  { arguments: given, max_price_usd: maxPrice, operation: id, scenario, stream }: SnippetsRequest
): Result.Result<DiscoveredSnippets, Refused> => {
  const bound = catalogue.byId.get(id)
  const operation = catalogue.operations.find((one) => fill(one.id, catalogue.names) === id)
  if (bound === undefined || operation === undefined) return Result.fail(unknownOperation)
  const example = exampleOf(bound, operation, wished(bound, given, stream))
  if (Result.isFailure(example)) {
    return Result.fail(refuse("invalid_request", example.failure, { param: "arguments" }))
  }
  const call = {
    operation,
    bound,
    examples: [example.success] as const,
    example: example.success,
    options: { ...(maxPrice === undefined ? {} : { maxPrice }), ...(scenario === undefined ? {} : { scenario }) }
  }
  return Result.succeed({ snippets: snippetsOf({ baseUrl, find: () => undefined }, call) })
}
