import type { Family } from "@tollgate/contract/errors/Family"
import type * as Stream from "effect/Stream"
import { call } from "../call/call.ts"
import type { CallFunction } from "../call/bindOperation.ts"
import type { StreamOptions } from "../options/CallOptions.ts"
import type { Client } from "../Client.ts"
import { anthropic, gemini, openai, type Protocol, responses } from "../events/Protocol.ts"
import { streaming } from "../call/stream/streaming.ts"
import type { Description } from "./Description.ts"
import { keepErrors } from "./files.ts"
import { operationOf } from "./operationOf.ts"
import { editDistance } from "@tollgate/contract/editDistance"
import * as Effect from "effect/Effect"
import { inputInvalid, type InputInvalid, type TransportFailed } from "../errors/errors.ts"
import { inTime as readInTime, readDocument, readHash, sharedRead } from "../pending/discover.ts"
import { type Documented, operationsIn } from "./inDocument.ts"

/** A function that streams the answer of one operation. */
export type StreamFunction<I, A, E> = (input: I, options?: StreamOptions) => Stream.Stream<A, E, Client>

/** What `call` and `streaming` add to their functions stays. */
const keepingErrors = <F extends (input: never, options?: never) => unknown>({ bodyType }: Description, f: F): F =>
  bodyType === undefined
    ? f
    : Object.assign((input: never, options?: never) => {
        keepErrors(input)
        return f(input, options)
      }, f)

/** Makes the function of an operation from its description. `streaming` is the name of the one that streams its answer. */
export const described = <I, A, E>(description: Description, streaming?: string): CallFunction<I, A, E> =>
  keepingErrors(description, call(operationOf(description), streaming)) as never

const protocols: Partial<Record<Family, Protocol>> = { anthropic, gemini }

/** How events are asked for, and how they end. OpenAI has two ways of its own. */
export const protocolOf = ({ family = "data", path }: Description): Protocol =>
  path.endsWith("/responses") ? responses : (protocols[family] ?? openai)

export const describedStream = <I, A, E>(description: Description): StreamFunction<I, A, E> =>
  keepingErrors(description, streaming(operationOf(description), protocolOf(description))) as never

/** What a gateway offers, as its contract describes it. */
interface Contract {
  readonly hash: string
  readonly operations: ReadonlyMap<string, Documented>
}

const readContract = Effect.fnUntraced(function* (client: Client["Service"], known?: Contract) {
  const hash = yield* readHash(client)
  if (hash === known?.hash) return known
  return { hash, operations: operationsIn(yield* readDocument(client, hash)) }
})

const contracts = /* @__PURE__ */ sharedRead((client) => readContract(client))

const mostNamed = 3

/** The ids that somebody may have meant, the nearest first. */
const nearestTo = (id: string, ids: Iterable<string>): ReadonlyArray<string> =>
  [...ids]
    .map((other) => ({ other, distance: editDistance(id.slice(0, 100), other.slice(0, 100)) }))
    .filter(({ distance, other }) => distance <= Math.max(2, other.length / 3))
    .toSorted((one, another) => one.distance - another.distance)
    .slice(0, mostNamed)
    .map(({ other }) => other)

const notOffered = (id: string, { operations }: Contract, how: string): InputInvalid => {
  const nearest = nearestTo(id, operations.keys())
  const meant = nearest.length === 0 ? "" : `. Did you mean ${nearest.join(", ")}?`
  return inputInvalid(id, `The gateway ${how} ${JSON.stringify(id.slice(0, 100))}${meant}`)
}

/** An operation that the gateway offers, and how to learn whether it has changed. */
export interface Found extends Documented {
  /** The operation as it is now. Fails if the gateway does not offer it any more. */
  readonly renewed: Effect.Effect<Documented, InputInvalid | TransportFailed>
}

/** Finds an operation in the gateway's contract, which is read once for a client. */
export const find = Effect.fnUntraced(function* (
  client: Client["Service"],
  id: string,
  timeoutMillis: number
): Effect.fn.Return<Found, InputInvalid | TransportFailed> {
  const inTime = (read: Effect.Effect<Contract, unknown>) => readInTime(read, timeoutMillis, id, "a call by id needs")
  const renew = (known: Contract) => inTime(contracts.renew(client, readContract(client, known)))
  const known = yield* inTime(contracts.get(client))
  const renewed = Effect.flatMap(renew(known), (contract) => {
    const found = contract.operations.get(id)
    return found === undefined ? Effect.fail(notOffered(id, contract, "no longer offers")) : Effect.succeed(found)
  })
  const found = known.operations.get(id)
  if (found !== undefined) return { ...found, renewed }
  // It may have been added since.
  const contract = yield* renew(known)
  const added = contract.operations.get(id)
  return added === undefined ? yield* notOffered(id, contract, "does not offer") : { ...added, renewed }
})
