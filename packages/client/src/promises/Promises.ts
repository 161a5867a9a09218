import type { Operation } from "@tollgate/contract/Operation"
import type { Quote } from "@tollgate/contract/resources/Quote"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { StreamTruncated } from "../stream/errors.ts"
import type { ResumeOptions } from "../resume.ts"
import type { CallResponse } from "../withResponse.ts"
import type { Abortable } from "./CallOptions.ts"
import type { CallPromise } from "./CallPromise.ts"

/** A function of an input, and of its own options if it has any. */
export type EffectFunction = (
  input: never,
  options?: never
) => Effect.Effect<unknown, unknown, Client> | Stream.Stream<unknown, unknown, Client>

export type PromiseFunction = (input: never, options?: Abortable) => unknown

/** Makes the promise of a function, on one client. */
export type Promised = (f: EffectFunction) => PromiseFunction

export type Functions = Readonly<Record<string, EffectFunction>>

/** A model's answer as it arrives. It is one call, so it can be read only once. */
export interface EventStream<A> extends AsyncIterable<A> {
  /** Reads the whole answer as text instead of events. */
  readonly text: () => Promise<string>
  /**
   * Status, request id, cost, limits and headers. Resolves when the stream has ended, broken or left ones included; rejects
   * if it never began.
   */
  readonly response: () => Promise<Omit<CallResponse<never>, "value">>
}

/** Options that return an effect become plain or async functions. */
type Plain<T> = T extends (...args: infer A) => Effect.Effect<void> ? (...args: A) => void | Promise<void> : T

type Own<F> = F extends (input: never, options?: infer O) => unknown
  ? { readonly [K in keyof NonNullable<O>]: Plain<NonNullable<O>[K]> }
  : never

type OptionsOf<F> = Own<F> & Abortable

type Face<F> = F extends (input: infer I, options?: never) => infer R
  ? R extends Effect.Effect<infer A, unknown, Client>
    ? (input: I, options?: OptionsOf<F>) => CallPromise<A>
    : R extends Stream.Stream<infer A, infer E, Client>
      ? (input: I, options?: OptionsOf<F>) => StreamTruncated extends E ? EventStream<A> : AsyncIterable<A>
      : never
  : never

/** Billed operations are those that declare 402. */
type Quoted<F> = F extends { readonly operation: infer O extends Operation }
  ? 402 extends O["errors"][number]
    ? F
    : never
  : never

type Quotes<F extends Functions> = {
  readonly [K in keyof F as F[K] extends Quoted<F[K]> ? K : never]: F[K] extends (input: infer I) => unknown
    ? (input: I, options?: Abortable & Omit<CallOptions, "idempotencyKey" | "maxPrice">) => CallPromise<Quote>
    : never
}

type Resumed<R> =
  R extends Effect.Effect<infer A, unknown, Client>
    ? CallPromise<A>
    : R extends Stream.Stream<infer A, unknown, Client>
      ? EventStream<A>
      : never

/** Functions of billed operations, and of streams. */
export type Resumes<F extends Functions> = {
  readonly [K in keyof F as F[K] extends Quoted<F[K]> | { readonly streamed: Operation } ? K : never]: (
    error: unknown,
    options?: ResumeOptions & Abortable
  ) => Resumed<ReturnType<F[K]>>
}

/**
 * The same functions, names and errors without Effect. An effect becomes a promise; a stream is read with `for await`, which
 * sends the request at the first step and closes the connection when the loop ends.
 */
export type Promises<F extends Functions, More = object> = More & { readonly [K in keyof F]: Face<F[K]> } & {
  /** Asks for the price of a call: `quote.rerank(input)`. Free of charge. */
  readonly quote: Quotes<F>
  /**
   * Asks for the outcome of a call that rejected with `OutcomeUnknown` or `CallAborted`: `resume.rerank(error)`. It sends the
   * same input under the same idempotency key, so it is never paid twice.
   */
  readonly resume: Resumes<F>
  /**
   * A client whose calls together may spend this many USD: `withBudget("1.00")`. Each billed call is quoted first and rejects
   * with `BudgetExceeded` if it can cost more than is left. It shares this client's connections.
   */
  readonly withBudget: (usd: string) => Promises<F, More>
  /** Interrupts calls in flight and closes the connections. */
  readonly close: () => Promise<void>
}
