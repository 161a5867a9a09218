import type { Bound, Input, Operation, Success } from "@tollgate/contract/Operation"
import type { Message } from "@tollgate/contract/protocols/anthropic"
import type { GenerateContentResult } from "@tollgate/contract/protocols/gemini"
import type { ChatCompletion } from "@tollgate/contract/protocols/openai"
import * as Effect from "effect/Effect"
import { type CallFunction, operationOf as operationOfFunction } from "../call/CallFunction.ts"
import type { Event } from "../events/Event.ts"

/** A function of the client, or an operation. */
export type Target = CallFunction<never, unknown, unknown> | Operation

export type InputOf<T extends Target> =
  T extends CallFunction<infer I, unknown, unknown> ? I : T extends Operation ? Input<T> : never

/** The interface does not define a model's answer, so a test may leave fields out. */
type Partly<A> = A extends ChatCompletion | Message | GenerateContentResult ? A | Event : A

export type AnswerOf<T extends Target> =
  T extends CallFunction<never, infer A, unknown> ? Partly<A> : T extends Operation ? Partly<Success<T>> : never

export const operationOf = (target: Target): Operation =>
  typeof target === "function" ? Effect.runSync(operationOfFunction(target)) : target

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
  /** The JSON body, which the price depends on. */
  readonly body: unknown
  /** Two calls with one idempotency key must have the same payload. */
  readonly payload: string
}
