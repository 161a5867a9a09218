import type { Operation } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CallFunction } from "./bindOperation.ts"
import type { CallOptions, ResumeOptions } from "../options/CallOptions.ts"
import type { Client } from "../Client.ts"
import { inputInvalid, type InputInvalid } from "../errors/errors.ts"
import { memoryOf, Resumed, type Terms } from "./memory.ts"
import { merge } from "../options/settings.ts"

/** A function that `streaming` made. */
type StreamFunction<A, E> = (input: never, options?: CallOptions) => Stream.Stream<A, E, Client>

/** What `call` and `streaming` add to their functions. */
type Calling<A, E> = CallFunction<never, A, E> & { readonly operation: Operation }
type Streaming<A, E> = StreamFunction<A, E> & { readonly streamed: Operation }

interface Known {
  readonly charge?: Charge
  readonly message?: string
}

const notResumed = (operation: string, error: Known | undefined) =>
  inputInvalid(
    operation,
    error?.charge?.state === "none"
      ? `Nothing was charged, so there is nothing to resume. Call again, unless it would fail again with: ${error.message}`
      : "No call to resume. Call again, with the error's `idempotencyKey`, if any, and the same input"
  )

/** The first call's input, options and terms. `undefined` if the error is not of a call of this operation. */
const firstOf = (source: Operation, isStream: boolean, error: object, options: ResumeOptions) => {
  const memory = memoryOf(error)
  if (memory === undefined || memory.terms.key === undefined) return undefined
  const { input, isStream: wasStream, settings, source: first } = memory
  if (first !== source || wasStream !== isStream) return undefined
  const terms: Terms = { ...memory.terms, resumed: memory }
  return { input: input as never, options: merge(settings, options), terms }
}

interface Resume {
  <A, E>(
    f: CallFunction<never, A, E>,
    error: object,
    options?: ResumeOptions
  ): Effect.Effect<A, E | InputInvalid, Client>
  <A, E>(f: StreamFunction<A, E>, error: object, options?: ResumeOptions): Stream.Stream<A, E | InputInvalid, Client>
}

const resumeCall = <A, E>(f: Calling<A, E>, error: object, options: ResumeOptions) => {
  const first = firstOf(f.operation, false, error, options)
  return first === undefined
    ? Effect.fail(notResumed(f.operation.id, error))
    : Effect.provideService(f(first.input, first.options), Resumed, first.terms)
}

const resumeStream = <A, E>(f: Streaming<A, E>, error: object, options: ResumeOptions) => {
  const first = firstOf(f.streamed, true, error, options)
  return first === undefined
    ? Stream.fail(notResumed(f.streamed.id, error))
    : Stream.provideService(f(first.input, first.options), Resumed, first.terms)
}

/**
 * Asks for the outcome of a call that may have run: `resume(rerank, error)`, with any error whose outcome is not `not
 * executed`. It sends the same input with the same key and cap, so it is never paid twice: the gateway returns the stored answer, or makes the call if it
 * never ran. A stream is not stored: if it ran, this fails with the code `idempotency_completed`. Budgets still hold the first
 * call's maximum, which the result settles.
 */
export const resume: Resume = (f: object, error: object, options: ResumeOptions = {}) =>
  ("streamed" in f
    ? resumeStream(f as Streaming<unknown, unknown>, error, options)
    : resumeCall(f as Calling<unknown, unknown>, error, options)) as never
