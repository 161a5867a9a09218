import type { Family } from "@tollgate/contract/errors/Family"
import type * as Stream from "effect/Stream"
import { call } from "../call/call.ts"
import type { CallFunction } from "../call/CallFunction.ts"
import type { StreamOptions } from "../options/CallOptions.ts"
import type { Client } from "../Client.ts"
import { anthropic, gemini, openai, type Protocol } from "../events/Protocol.ts"
import { streaming } from "../call/stream/streaming.ts"
import type { Description } from "./Description.ts"
import { keepErrors } from "./files.ts"
import { operationOf } from "./operationOf.ts"

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

/** How the events of an operation end, by its family. */
export const protocolOf = ({ family = "data" }: Description): Protocol => protocols[family] ?? openai

/** Makes the function that streams the answer of an operation. */
export const describedStream = <I, A, E>(description: Description): StreamFunction<I, A, E> =>
  keepingErrors(description, streaming(operationOf(description), protocolOf(description))) as never
