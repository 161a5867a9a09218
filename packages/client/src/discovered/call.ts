import { oncePer } from "@tollgate/contract/oncePer"
import type { CallPrice } from "@tollgate/contract/resources/Quote"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { call as callOperation } from "../call/call.ts"
import type { CallOptions, QuoteOptions, ResumeOptions, StreamOptions } from "../options/CallOptions.ts"
import { millisOf } from "../options/CallOptions.ts"
import { Client } from "../Client.ts"
import { inputInvalid } from "../errors/errors.ts"
import { memoryOf } from "../call/memory.ts"
import { quote as quoteFunction, type QuoteError } from "../call/quote.ts"
import { resume as resumeFunction } from "../call/resume.ts"
import { callNames, refuseUnknown } from "../options/names.ts"
import { Settings } from "../options/settings.ts"
import type { Event } from "../events/Event.ts"
import { streaming } from "../call/stream/streaming.ts"
import { find, protocolOf } from "./contract.ts"
import type { DiscoveryError, DiscoveredStreamError } from "./Description.ts"
import type { Documented } from "./inDocument.ts"
import { keepErrors, readFiles } from "./files.ts"
import { operationOf } from "./operationOf.ts"

/** All arguments of an operation, whatever part of the request each is sent in. */
export type Arguments = Readonly<Record<string, unknown>>

/** Options of a call by id. */
export interface DiscoveredOptions extends CallOptions {
  /** What the answer has to be. Without it the answer is not checked. */
  readonly schema?: Schema.ConstraintDecoder<unknown>
}

type Offered = ReturnType<typeof operationOf>

/** One operation for each description, since a client binds and resumes operations by identity. */
const operationFor = /* @__PURE__ */ oncePer(operationOf)

const operationIn = ({ description }: Documented): Offered => operationFor(description)

interface Stale {
  readonly code?: string
}

/** The gateway has no operation at this address, or not with this method. */
const isStale = (error: unknown): boolean => {
  const { code } = (error ?? {}) as Stale
  return code === "route_not_found" || code === "method_not_allowed"
}

const isSame = (one: Documented, other: Documented): boolean =>
  JSON.stringify(one.description) === JSON.stringify(other.description)

const timeoutOf = Effect.fnUntraced(function* (
  id: string,
  { onCharge: _, schema: _schema, ...own }: StreamOptions & DiscoveredOptions = {}
) {
  const client = yield* Client
  const { timeout } = { ...(yield* Settings), ...own }
  return yield* Effect.try({
    try: () => {
      // The call would refuse them too, but only after the contract was read.
      refuseUnknown(own, callNames)
      return timeout === undefined ? client.timeoutMillis : millisOf(timeout)
    },
    catch: (error) => inputInvalid(id, (error as Error).message)
  })
})

export const findIn = Effect.fnUntraced(function* (
  id: string,
  options: (StreamOptions & DiscoveredOptions) | undefined
) {
  return yield* find(yield* Client, id, yield* timeoutOf(id, options))
})

/** Uses an operation. If it is not where the contract says, the contract is read again, once, and the call repeated there. */
const used = Effect.fnUntraced(function* <A, E>(
  id: string,
  given: Arguments,
  options: CallOptions | undefined,
  use: (operation: Offered, input: never) => Effect.Effect<A, E, Client>
) {
  const found = yield* findIn(id, options)
  const operation = operationIn(found)
  // Read here, since a stream cannot be read for the second call.
  const input = (
    operation.readInput === undefined ? given : yield* readFiles(id, given, yield* timeoutOf(id, options))
  ) as never
  return yield* Effect.catch(use(operation, input), (error) =>
    isStale(error)
      ? Effect.flatMap(found.renewed, (now) => (isSame(found, now) ? Effect.fail(error) : use(operationIn(now), input)))
      : Effect.fail(error)
  )
})

const using: typeof used = (id, given, options, use) => {
  keepErrors(given)
  return used(id, given, options, use)
}

export const callById = (
  id: string,
  input: Arguments = {},
  { schema, ...options }: DiscoveredOptions = {}
): Effect.Effect<unknown, DiscoveryError, Client> =>
  using(id, input, options, (operation, input) => {
    const { bytes: _bytes, mayBeEmpty: _, ...checked } = operation
    const asked = schema === undefined ? operation : { ...checked, success: schema }
    return callOperation(asked)(input, options) as Effect.Effect<unknown, DiscoveryError, Client>
  })

export const quoteById = (
  id: string,
  input: Arguments = {},
  options?: QuoteOptions
): Effect.Effect<CallPrice, QuoteError, Client> =>
  using(id, input, options, (operation, input) => quoteFunction(callOperation(operation), input, options))

export const streamById = (
  id: string,
  input: Arguments = {},
  options?: StreamOptions
): Stream.Stream<Event, DiscoveredStreamError, Client> => {
  keepErrors(input)
  return Stream.unwrap(
    Effect.flatMap(findIn(id, options), (found) => {
      const { description, streams } = found
      if (!streams) return Effect.fail(inputInvalid(id, "This operation has no events. Use `call`"))
      const events = streaming(operationIn(found), protocolOf(description))
      return Effect.succeed(events(input as never, options) as Stream.Stream<Event, DiscoveredStreamError, Client>)
    })
  )
}

export const resumeById = (error: object, options?: ResumeOptions): Effect.Effect<unknown, DiscoveryError, Client> => {
  const source = memoryOf(error)?.source
  return source === undefined
    ? Effect.fail(inputInvalid("", "No call to resume"))
    : (resumeFunction(callOperation(source), error, options) as Effect.Effect<unknown, DiscoveryError, Client>)
}
