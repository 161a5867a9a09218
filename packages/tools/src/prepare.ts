import type { Bound } from "@tollgate/contract/Operation"
import { isFree } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isAllowed } from "@tollgate/gateway/identity/grant/Allowed"
import { whereToChange } from "@tollgate/gateway/identity/grant/Resources"
import { allowsOf, notChosen } from "@tollgate/gateway/identity/grant/scopes"
import type { Caller } from "./Caller.ts"
import type { Permission } from "./ToolCatalogue.ts"
import { type ToolRequest, toRequest } from "@tollgate/gateway/endpoints/catalogue/arguments"
import * as Inputs from "./inputs.ts"
import { type Parts, partsOf } from "./parts.ts"
import type { Call, Terms } from "./pipeline.ts"
import { errorOf, invalidAmount, toolError } from "./refusal.ts"
import type { ToolError } from "./shapes.ts"

/** `undefined`: everything. A missing scope hides nothing: the refusal of the call leads the client to ask. */
export const permissionOf = ({ authenticated, gateway }: Caller): Permission | undefined => {
  const { principal } = authenticated
  const allows = principal && allowsOf(principal)
  return allows === undefined
    ? undefined
    : {
        isAllowed: (operation) => isAllowed(allows, operation),
        howToChange: whereToChange("More can be allowed", gateway.resources, principal?.grant)
      }
}

/** The refusal that a call of the operation would get, if the caller's credential does not allow it. */
export const notAllowed = (caller: Caller, operationId: string): ToolError | undefined => {
  const { catalogue, resources } = caller.gateway
  const operation = catalogue.byId.get(operationId)
  const { principal } = caller.authenticated
  if (operation === undefined || principal === undefined || isAllowed(allowsOf(principal), operation)) return undefined
  return errorOf(notChosen(operation, principal.grant, resources), false)
}

export interface Prepared {
  readonly call: Call
  readonly terms: Terms
  /** The call can cost something, and the caller did not say how much it may. */
  readonly lacksCap: boolean
  /** Takes the parts of an answer that the client wants. `undefined`: it wants all of it. */
  readonly parts?: Parts
}

export const unknownOperation = Effect.fnUntraced(function* (caller: Caller, id: string): Effect.fn.Return<ToolError> {
  const catalogue = yield* caller.catalogue
  const options = { limit: 3, permission: permissionOf(caller) }
  const { results } = catalogue.search(id.replace(/[._]/g, " "), options)
  const similar = results.map(({ operation_id }) => operation_id)
  const words = id
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .slice(0, 100)
  const search = `Call search with ${JSON.stringify({ query: words === "" ? "what you need" : words })}.`
  const hint = similar.length === 0 ? search : `Did you mean ${similar.join(", ")}? Or: ${search}`
  const message = `There is no operation ${JSON.stringify(id.slice(0, 100))}.`
  return toolError("unknown_operation", message, hint, "operation_id")
})

/** A tool returns an answer as a whole, so it asks for it as a whole. */
const asWhole = ({ client }: Bound, given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  if (client === false || client?.stream === undefined || given["stream"] !== true) return given
  const { stream: _, stream_options: __, ...whole } = given
  return whole
}

/** Only events tell what a stream cost, and a stream in the Gemini format is a JSON list unless it is asked for events. */
const asEvents = ({ client }: Bound, request: ToolRequest): ToolRequest =>
  client !== false && client?.stream === "gemini" && !request.url.includes("?")
    ? { ...request, url: `${request.url}?alt=sse` }
    : request

/** Over HTTP, the whole head of a request has no more. */
const longestHead = 16_384

const hasLongHead = ({ headers, url }: ToolRequest): boolean =>
  Object.values(headers).reduce((length, value) => length + value.length, url.length) > longestHead

/** Checks a call as far as that needs no pipeline. */
export const prepare = Effect.fnUntraced(function* (
  caller: Caller,
  input: Inputs.Call
): Effect.fn.Return<Prepared, ToolError> {
  const operation = caller.gateway.catalogue.byId.get(input.operation_id)
  if (operation === undefined) return yield* Effect.flip(unknownOperation(caller, input.operation_id))
  const { idempotency_key: idempotencyKey, max_price_usd } = input
  const cap = max_price_usd === undefined ? undefined : Inputs.amountOf(max_price_usd)
  if (max_price_usd !== undefined && cap === undefined) return yield* Effect.fail(invalidAmount("max_price_usd"))
  const { fields = [] } = input
  const parts = fields.length === 0 ? undefined : partsOf(fields)
  if (typeof parts === "object") return yield* Effect.fail(parts)
  const request = toRequest(operation, asWhole(operation, input.arguments ?? {}))
  if (Result.isFailure(request)) {
    const advice = `Correct the arguments; get_details of ${operation.id} has their schema.`
    return yield* Effect.fail(toolError("invalid_arguments", request.failure, advice, "arguments"))
  }
  if (hasLongHead(request.success)) {
    const message = `arguments: in the address and in headers there can be ${longestHead} characters together.`
    return yield* Effect.fail(toolError("invalid_arguments", message, "Shorten them.", "arguments"))
  }
  return {
    call: { operation, ...asEvents(operation, request.success) },
    terms: { cap, idempotencyKey },
    lacksCap: cap === undefined && !isFree(operation.price),
    ...(parts === undefined ? {} : { parts })
  }
})
