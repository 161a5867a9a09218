import type { CallPrice } from "@tollgate/contract/resources/Quote"
import type { Usd } from "@tollgate/contract/Money"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Client } from "../Client.ts"
import type { BudgetExceeded } from "../errors/errors.ts"
import type { StreamTruncated } from "../events/errors.ts"
import type { VideoTimedOut } from "../workflows/video/pollTask.ts"
import type { CallResponse } from "../call/withResponse.ts"
import type {
  Abortable,
  DerivedOptions,
  PromiseBudgetOptions,
  PromiseQuoteOptions,
  PromiseResumeOptions
} from "./PromiseOptions.ts"

export type * from "./PromiseOptions.ts"

/** The promise of one call. */
export interface CallPromise<A> extends Promise<A> {
  /**
   * Resolves with the value and what else the answer says: status, request id, cost, limits and headers.
   *
   * @example
   * const { cost, value } = await tollgate.rerank(input).withResponse()
   */
  readonly withResponse: () => Promise<CallResponse<A>>
}

/** A function of an input, and of its own options if it has any. */
export type EffectFunction = (
  input: never,
  options?: never
) => Effect.Effect<unknown, unknown, Client> | Stream.Stream<unknown, unknown, Client>

export type PromiseFunction = (input: never, options?: Abortable) => unknown

/** Makes the promise of a function, on one client. */
export type Promised = (f: EffectFunction) => PromiseFunction

export type Functions = Readonly<Record<string, EffectFunction>>

/** What `await using` needs, where the platform has it. */
type Disposable = SymbolConstructor extends { readonly asyncDispose: infer S extends symbol }
  ? { readonly [K in S]: () => Promise<void> }
  : object

/** A model's answer as it arrives. It is one call, so it can be read only once. `await using` cancels what is not read. */
export interface EventStream<A> extends AsyncIterable<A>, Disposable {
  /** Ends the stream: one that could be resumed ends at the gateway too. Does nothing after its end. */
  readonly cancel: () => Promise<void>
  /** Reads the whole answer as text instead of events. */
  readonly text: () => Promise<string>
  /**
   * Status, request id, cost, limits and headers. Before the stream is read it sends the request, and resolves when the answer
   * begins: the cost is unknown then. Afterwards it resolves when the stream has ended. If that was left or broke, it asks the
   * gateway for the cost, for a few seconds at most. Rejects if the stream never began.
   */
  readonly response: () => Promise<Omit<CallResponse<never>, "value">>
}

/** Options that return an effect become plain or async functions. */
type Plain<T> = T extends (...args: infer A) => Effect.Effect<void> ? (...args: A) => void | Promise<void> : T

type Own<F> = F extends (input: never, options?: infer O) => unknown
  ? { readonly [K in keyof NonNullable<O>]: Plain<NonNullable<O>[K]> }
  : never

type OptionsOf<F> = Own<F> & Abortable

type PromiseOf<F> = F extends (input: infer I, options?: never) => infer R
  ? R extends Effect.Effect<infer A, unknown, Client>
    ? (input: I, options?: OptionsOf<F>) => CallPromise<A>
    : R extends Stream.Stream<infer A, infer E, Client>
      ? (input: I, options?: OptionsOf<F>) => StreamTruncated extends E ? EventStream<A> : AsyncIterable<A>
      : never
  : never

/** Whether it is the function of one billed operation. */
type IsBilled<F> = F extends (input: never) => Effect.Effect<unknown, infer E, Client>
  ? BudgetExceeded extends E
    ? VideoTimedOut extends E
      ? false
      : true
    : false
  : false

/** The price of each billed function. */
export type Quotes<F extends Functions> = {
  readonly [K in keyof F as IsBilled<F[K]> extends true ? K : never]: F[K] extends (input: infer I) => unknown
    ? (input: I, options?: PromiseQuoteOptions) => CallPromise<CallPrice>
    : never
}

type Resumed<R> =
  R extends Effect.Effect<infer A, unknown, Client>
    ? CallPromise<A>
    : R extends Stream.Stream<infer A, unknown, Client>
      ? EventStream<A>
      : never

/** Whether it streams the answer of one operation. */
type IsStream<F> = F extends (input: never) => Stream.Stream<unknown, infer E, Client>
  ? StreamTruncated extends E
    ? true
    : false
  : false

/** Functions of billed operations, and of streams. */
export type Resumes<F extends Functions> = {
  readonly [K in keyof F as true extends IsBilled<F[K]> | IsStream<F[K]> ? K : never]: (
    error: unknown,
    options?: PromiseResumeOptions
  ) => Resumed<ReturnType<F[K]>>
}

/**
 * The same functions, names and errors without Effect. An effect becomes a promise; a stream is read with `for await`, which
 * sends the request at the first step and closes the connection when the loop ends.
 */
export type Promises<F extends Functions> = { readonly [K in keyof F]: PromiseOf<F[K]> } & {
  /** Asks for the price of a call: `quote.rerank(input)`. Free of charge. */
  readonly quote: Quotes<F>
  /**
   * Asks for the outcome of a call that may have run, with any error whose outcome is not `not executed`:
   * `resume.rerank(error)`. It sends the same input under the same idempotency key, so it is never paid twice.
   */
  readonly resume: Resumes<F>
  /** This client with options for one user or one request. It shares this client's connections, limits and budgets. */
  readonly with: (options: DerivedOptions) => Promises<F>
  /**
   * A client whose calls together may spend this many USD: `withBudget("1.00")`. Each billed call is quoted first and rejects
   * with `BudgetExceeded` if it can cost more than is left. It shares this client's connections.
   */
  readonly withBudget: (usd: Usd, options?: PromiseBudgetOptions) => Promises<F>
  /** Interrupts calls in flight and closes the connections. */
  readonly close: () => Promise<void>
}
