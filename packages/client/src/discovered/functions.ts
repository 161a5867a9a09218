import type { CallPrice } from "@tollgate/contract/resources/Quote"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { StreamOptions } from "../options/CallOptions.ts"
import type { Client } from "../Client.ts"
import type {
  Abortable,
  CallPromise,
  EffectFunction,
  EventStream,
  PromiseQuoteOptions,
  PromiseStreamOptions
} from "../promises/Promises.ts"
import { type AnyPromiseClient, isPromiseClient, onClient } from "../promises/runner.ts"
import type { QuoteError } from "../call/quote.ts"
import type { QuoteOptions, ResumeOptions } from "../options/CallOptions.ts"
import type { Event } from "../events/Event.ts"
import { type Arguments, callById, type DiscoveredOptions, quoteById, resumeById, streamById } from "./call.ts"
import type { PagingStuck } from "../workflows/page/paginate.ts"
import type { DiscoveryError, DiscoveredStreamError } from "./Description.ts"
import { pagesById, type PagesOptions } from "./pages.ts"

interface WithSchema<S> {
  readonly schema: S
}

type Checks = Schema.ConstraintDecoder<unknown>

interface Call {
  <S extends Checks>(
    id: string,
    input: Arguments,
    options: DiscoveredOptions & WithSchema<S>
  ): Effect.Effect<S["Type"], DiscoveryError, Client>
  <A = unknown>(id: string, input?: Arguments, options?: DiscoveredOptions): Effect.Effect<A, DiscoveryError, Client>
  <S extends Checks>(
    client: AnyPromiseClient,
    id: string,
    input: Arguments,
    options: DiscoveredOptions & Abortable & WithSchema<S>
  ): CallPromise<S["Type"]>
  <A = unknown>(
    client: AnyPromiseClient,
    id: string,
    input?: Arguments,
    options?: DiscoveredOptions & Abortable
  ): CallPromise<A>
}

/** Runs the effect of a function on a promise client, if the first argument is one. */
const eitherFace =
  (byId: (id: never, input?: never, options?: never) => ReturnType<EffectFunction>) =>
  (first: unknown, ...rest: ReadonlyArray<unknown>): never => {
    const make = byId as (...args: ReadonlyArray<unknown>) => ReturnType<EffectFunction>
    if (typeof first !== "object" || first === null || !isPromiseClient(first)) return make(first, ...rest) as never
    const [id, input, { schema, ...options } = {} as { readonly schema?: unknown }] = rest as [unknown, unknown, never]
    const added = schema === undefined ? {} : { schema }
    const run = first[onClient]((input: unknown, options?: object) => make(id, input, { ...options, ...added }))
    return run(input as never, options) as never
  }

/**
 * Calls an operation of the gateway by its id, with all arguments in one object. The gateway's contract, which is read once for
 * a client, says how to send them. Retries, caps, budgets and errors are those of every call. The answer is not checked
 * without `schema`. With promises the client comes first.
 *
 * @example
 * const forecast = yield* call("weather.forecast", { city: "Rome" })
 * @example
 * const forecast = await call<Forecast>(client, "weather.forecast", { city: "Rome" }, { maxPrice: "0.01" })
 */
export const call: Call = /* @__PURE__ */ eitherFace(callById)

interface QuoteOf {
  (id: string, input?: Arguments, options?: QuoteOptions): Effect.Effect<CallPrice, QuoteError, Client>
  (client: AnyPromiseClient, id: string, input?: Arguments, options?: PromiseQuoteOptions): CallPromise<CallPrice>
}

/** Asks for the price of such a call without making it. Free of charge. */
export const quote: QuoteOf = /* @__PURE__ */ eitherFace(quoteById)

interface StreamOf {
  <A = Event>(id: string, input?: Arguments, options?: StreamOptions): Stream.Stream<A, DiscoveredStreamError, Client>
  <A = Event>(client: AnyPromiseClient, id: string, input?: Arguments, options?: PromiseStreamOptions): EventStream<A>
}

/** Calls an operation that can answer with events, and reads them as they arrive. */
export const stream: StreamOf = /* @__PURE__ */ eitherFace(streamById)

interface Pages {
  <A = unknown>(
    id: string,
    input?: Arguments,
    options?: PagesOptions
  ): Stream.Stream<A, DiscoveryError | PagingStuck, Client>
  <A = unknown>(
    client: AnyPromiseClient,
    id: string,
    input?: Arguments,
    options?: PagesOptions & PromiseStreamOptions
  ): EventStream<A>
}

/** Calls an operation page after page, as the header `Link` of each answer leads on. A page is paid for when it is taken. */
export const pages: Pages = /* @__PURE__ */ eitherFace(pagesById)

interface Resume {
  <A = unknown>(error: object, options?: ResumeOptions): Effect.Effect<A, DiscoveryError, Client>
  <A = unknown>(client: AnyPromiseClient, error: object, options?: ResumeOptions & Abortable): CallPromise<A>
}

/** Asks for the outcome of a call that ended with `OutcomeUnknown` or `CallAborted`, without paying twice. */
export const resume: Resume = (first: object, second?: object, third?: ResumeOptions & Abortable): never =>
  (isPromiseClient(first)
    ? first[onClient](resumeById)(second as never, third)
    : resumeById(first, second as ResumeOptions | undefined)) as never
