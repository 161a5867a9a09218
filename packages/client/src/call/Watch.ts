import type { Answered } from "./answer.ts"
import type { Bound } from "@tollgate/contract/Operation"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import type { CallPrice } from "@tollgate/contract/resources/Quote"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Scope } from "effect/Scope"
import type { Stream } from "effect/Stream"
import type { Client } from "../Client.ts"
import type { Written } from "./request.ts"
import type { Event, Reading } from "../events/Event.ts"

/** `withBudget` makes quotes too, within the call they are for. */
export type Mode = "call" | "stream" | "quote"

/** The part of an error that is observed. */
export interface Failure {
  readonly _tag: string
  readonly outcome: Outcome
  readonly status?: number
  readonly code?: string
  readonly requestId?: string
  readonly charge?: Charge
}

/** Hooks into one call. */
export interface Watch {
  /** Added to the request. */
  readonly headers: Readonly<Record<string, string>>
  /** Wraps the transport's part of an attempt. */
  readonly around: Written["around"]
  /** Wraps an attempt; each run of it counts as one. */
  readonly attempt: <A, E extends Failure>(attempt: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Another attempt follows after this wait. */
  readonly waits: (millis: number) => Effect.Effect<void>
  readonly answered: (answered: Answered<unknown>) => void
  readonly quoted: (price: CallPrice) => void
  readonly opened: (head: Answered<unknown>["head"]) => void
  readonly events: <E extends Failure>(reading: Reading, events: Stream<Event, E>) => Stream<Event, E>
  readonly charged: (charge: Charge) => void
}

export interface Subject {
  readonly client: Client["Service"]
  readonly operation: Bound
  readonly mode: Mode
  readonly input: unknown
}

type Watched<A, E, R> = (watch: Watch | undefined) => Effect.Effect<A, E, R>

export interface Watcher {
  readonly whole: <A, E extends Failure, R>(subject: Subject, call: Watched<A, E, R>) => Effect.Effect<A, E, R>
  /** For a call that lasts as long as its scope. */
  readonly scoped: <A, E extends Failure, R>(subject: Subject, call: Watched<A, E, R>) => Effect.Effect<A, E, R | Scope>
}

/** Set by `observe`. A program that does not use it does not bundle the observing code. */
export const Watcher = Context.Reference<Watcher | undefined>("@tollgate/client/Watcher", {
  defaultValue: () => undefined
})

/** Set by `log`, which adds itself to whoever else watches. */
export const Logged = Context.Reference<((others: Watcher | undefined) => Watcher) | undefined>(
  "@tollgate/client/Logged",
  { defaultValue: () => undefined }
)

const watcherOf = (fiber: Fiber.Fiber<unknown, unknown>): Watcher | undefined => {
  const watcher = fiber.getRef(Watcher)
  const logged = fiber.getRef(Logged)
  return logged === undefined ? watcher : logged(watcher)
}

export const watchWhole = <A, E extends Failure, R>(subject: Subject, call: Watched<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => watcherOf(fiber)?.whole(subject, call) ?? call(undefined))

export const watchScoped = <A, E extends Failure, R>(
  subject: Subject,
  call: Watched<A, E, R>
): Effect.Effect<A, E, R | Scope> =>
  Effect.withFiber((fiber) => watcherOf(fiber)?.scoped(subject, call) ?? call(undefined))

export const attempted = <A, E extends Failure>(
  watch: Watch | undefined,
  request: Written,
  send: (request: Written) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  watch === undefined
    ? send(request)
    : watch.attempt(send({ ...request, headers: { ...request.headers, ...watch.headers }, around: watch.around }))
