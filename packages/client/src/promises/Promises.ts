import type { Operation } from "@tollgate/contract/Operation"
import type { Quote } from "@tollgate/contract/resources/Quote"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Client } from "../Client.ts"
import type { PagingStuck } from "../page/paginate.ts"
import type { StreamTruncated } from "../stream/errors.ts"
import type { CallOptions } from "./CallOptions.ts"

/** A function of an input, and of options of its own where it has some. */
export type EffectFunction = (
  input: never,
  options?: never
) => Effect.Effect<unknown, unknown, Client> | Stream.Stream<unknown, unknown, Client>

export type Functions = Readonly<Record<string, EffectFunction>>

/** The answer of a model while it is made. It is one call, so it can be read once, either way. */
export interface EventStream<A> extends AsyncIterable<A> {
  /** The text of the whole answer, in place of its events. */
  readonly text: () => Promise<string>
}

/** What is an effect in the options is a plain function here. */
type Plain<T> = T extends (...args: infer A) => Effect.Effect<void> ? (...args: A) => void | Promise<void> : T

type Own<F> = F extends (input: never, options?: infer O) => unknown
  ? { readonly [K in keyof NonNullable<O>]: Plain<NonNullable<O>[K]> }
  : never

/** Several calls cannot go under one key. */
type OptionsOf<F, E> = Own<F> & (PagingStuck extends E ? Omit<CallOptions, "idempotencyKey"> : CallOptions)

type Face<F> = F extends (input: infer I, options?: never) => infer R
  ? R extends Effect.Effect<infer A, infer E, Client>
    ? (input: I, options?: OptionsOf<F, E>) => Promise<A>
    : R extends Stream.Stream<infer A, infer E, Client>
      ? (input: I, options?: OptionsOf<F, E>) => StreamTruncated extends E ? EventStream<A> : AsyncIterable<A>
      : never
  : never

/** What costs has a price, and declares 402. */
type Quoted<F> = F extends { readonly operation: infer O extends Operation }
  ? 402 extends O["errors"][number]
    ? F
    : never
  : never

type Quotes<F extends Functions> = {
  readonly [K in keyof F as F[K] extends Quoted<F[K]> ? K : never]: F[K] extends (input: infer I) => unknown
    ? (input: I, options?: Pick<CallOptions, "signal">) => Promise<Quote>
    : never
}

/**
 * The same functions under the same names: an effect is a promise here, and a stream is read with `for await`, which sends
 * its request when the first piece is asked for and closes the connection when the loop is left. Errors are the same.
 */
export type Promises<F extends Functions> = { readonly [K in keyof F]: Face<F[K]> } & {
  /** What a call would cost: `quote.rerank(input)`. It costs nothing to ask. */
  readonly quote: Quotes<F>
  /**
   * A client whose calls may together spend this many USD: `withBudget("1.00")`. Each call that costs is quoted first; one
   * that can cost more than is left rejects with `BudgetExceeded`. It shares its connections with this one.
   */
  readonly withBudget: (usd: string) => Promises<F>
  /** Ends what is under way and closes the connections. */
  readonly close: () => Promise<void>
}
