import type { Bound, Input, Operation, Success } from "@tollgate/contract/Operation"
import type { Message } from "@tollgate/contract/protocols/anthropic"
import type { GenerateContentResult } from "@tollgate/contract/protocols/gemini"
import type { ChatCompletion } from "@tollgate/contract/protocols/openai"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { operationOf as operationOfFunction } from "../call/bindOperation.ts"
import type { Client } from "../Client.ts"

type Result = Effect.Effect<unknown, unknown, Client> | Stream.Stream<unknown, unknown, Client>

/** A function of the client or of a promise client, also one that streams, or an operation. */
export type Target =
  | ((input: never, options?: never) => Result | PromiseLike<unknown> | AsyncIterable<unknown>)
  | Operation

export type InputOf<T extends Target> = T extends Operation
  ? Input<T>
  : T extends (input: infer I, options?: never) => unknown
    ? I
    : never

/** A part of what is known of a value, at any depth. */
type Some<A> = unknown extends A
  ? A
  : A extends ReadonlyArray<infer I>
    ? ReadonlyArray<Some<I>>
    : A extends object
      ? { readonly [K in keyof A as string extends K ? never : K]?: Some<A[K]> | undefined }
      : A

/** A model's answer is long, so a test may leave fields out. */
type Partly<A> = A extends ChatCompletion | Message ? Some<A> : GenerateContentResult extends A ? Some<A> : A

/** One that streams is answered by events only. */
export type AnswerOf<T extends Target> = T extends Operation
  ? Partly<Success<T>>
  : T extends (input: never, options?: never) => infer R
    ? R extends Effect.Effect<infer A, unknown, unknown> | PromiseLike<infer A>
      ? Partly<A>
      : never
    : never

export const operationOf = (target: Target): Operation => {
  if (typeof target !== "function") return target
  const f = "source" in target ? (target.source as object) : target
  return "streamed" in f ? (f.streamed as Operation) : Effect.runSync(operationOfFunction(f))
}

/** A request that the gateway received. Each attempt is one request. */
export interface Call<Input = unknown> {
  readonly operation: string
  readonly input: Input
  /** Lower-case names, without the credential. */
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds on the test's clock. */
  readonly at: number
  readonly mode: "call" | "quote"
  readonly idempotencyKey: string | undefined
  readonly requestId: string
}

/** A request with what the gateway needs to answer it. */
export interface ReceivedCall extends Call {
  readonly bound: Bound
  /** Two calls with one idempotency key must have the same payload. */
  readonly payload: string
}
