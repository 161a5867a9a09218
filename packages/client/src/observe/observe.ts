import { attempt } from "@tollgate/contract/attempt"
import { operationName, providerName } from "@tollgate/contract/GenAi"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { ParentSpan } from "effect/Tracer"
import { Resumed } from "../call/memory.ts"
import type { Begun, Ended, Observer, Sight } from "./Observer.ts"
import { type Subject, Watcher, type Failure } from "../call/Watch.ts"
import { CallRecord, failedOf, failureIn, makeWatch, recordFailure, tellAll } from "./CallRecord.ts"
import { oncePer } from "@tollgate/contract/oncePer"
import { type Bound, split } from "@tollgate/contract/Operation"
import { isByModel } from "@tollgate/contract/price/Price"
import { object, text, progressOf } from "../events/Event.ts"
import type { Outcome } from "@tollgate/contract/Outcome"
import * as Cause from "effect/Cause"

/** The outcome of a call that was interrupted. */
const unseen = ({ attempts, reading }: CallRecord): Outcome => {
  if (attempts === 0) return "not executed"
  return reading === undefined ? "unknown" : progressOf(reading).outcome
}

/** The answer is complete. */
const isWhole = ({ answered, reading }: CallRecord): boolean =>
  answered || (reading !== undefined && reading.state !== "open")

const failureOf = ({ mode }: Begun, record: CallRecord, exit: Exit.Exit<unknown, unknown>): Failure | undefined => {
  if (record.failure !== undefined || isWhole(record) || Exit.isSuccess(exit)) return record.failure
  // Any other failure belongs to the reader of the stream.
  if (mode === "stream" && !Cause.hasInterruptsOnly(exit.cause)) return undefined
  return failureIn(exit.cause, unseen(record))
}

/** Drops ids and names that are too long to be one. */
const short = (text: string | undefined): string | undefined =>
  text !== undefined && text.length <= 128 ? text : undefined

const endedOf = (
  begun: Begun,
  record: CallRecord,
  exit: Exit.Exit<unknown, unknown>,
  since: (at: bigint) => number,
  now: bigint
): Ended => {
  const { attempts, doubtful, quote, reading, replayed, usage } = record
  const failure = failureOf(begun, record, exit)
  const refused = failure?.outcome === "not executed"
  return {
    ...begun,
    result: failure !== undefined ? "failed" : isWhole(record) ? "success" : "left",
    failed: failure === undefined ? undefined : failedOf(failure),
    millis: since(now),
    attempts,
    status: record.status ?? failure?.status,
    requestId: short(record.requestId ?? failure?.requestId),
    charge: record.charge ?? failure?.charge ?? { state: refused ? "none" : "unknown" },
    replayed,
    recovered: replayed && doubtful,
    quote,
    responseModel: short(record.responseModel),
    usage,
    events: reading?.events,
    firstEventMillis: record.firstEventAt === undefined ? undefined : since(record.firstEventAt)
  }
}

/** The call itself refuses an input that cannot be read. */
const modelOf = (operation: Bound, input: unknown): string | undefined =>
  attempt(() => {
    const { body, path } = split(operation, input)
    return text(object(path)["model"]) ?? text(object(body)["model"])
  })

/** Host and port only: an address may contain a user name, a password and a query. */
const serverOf = (origin: string): Begun["server"] => {
  const [, scheme = "", address, port] = /^(https?):\/\/(?:.*@)?(\[[^\]]*\]|[^:/?#@]+)(?::(\d+))?/i.exec(origin) ?? []
  if (address === undefined) return undefined
  return { address, port: Number(port ?? (scheme.toLowerCase() === "https" ? 443 : 80)) }
}

/** A quote asks no model. */
const genAiOf = ({ mode, operation: bound }: Subject): Begun["genAi"] => {
  const operation = mode === "quote" ? undefined : operationName(bound)
  return operation === undefined
    ? undefined
    : { operation, provider: bound.category === "models" ? providerName(bound.family) : undefined }
}

const begunOf = (subject: Subject): Begun => {
  const { client, input, mode, operation } = subject
  return {
    operation: operation.id,
    mode,
    method: operation.method,
    protocol: isByModel(operation.price) ? operation.family : undefined,
    model: modelOf(operation, input),
    genAi: genAiOf(subject),
    server: serverOf(client.origin)
  }
}

const observersOf = new WeakMap<Watcher, ReadonlyArray<Observer>>()

const watcher = (observers: ReadonlyArray<Observer>): Watcher => {
  const begin = Effect.fnUntraced(function* (subject: Subject) {
    const clock = yield* Clock.Clock
    const now = () => clock.currentTimeNanosUnsafe()
    const startedAt = now()
    const since = (at: bigint) => Number(at - startedAt) / 1e6
    const begun = begunOf(subject)
    const sights = yield* Effect.forEach(observers, (observer) =>
      Effect.suspend((): Effect.Effect<Sight> => {
        const sight = observer(begun)
        return Effect.isEffect(sight) ? sight : Effect.succeed(sight ?? {})
      }).pipe(Effect.catchCause(() => Effect.succeed<Sight>({})))
    )
    const record = new CallRecord((yield* Resumed) !== undefined)
    const span = sights.find(({ span }) => span !== undefined)?.span
    return {
      record,
      watch: makeWatch(begun, sights, record, now),
      below: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        span === undefined ? effect : Effect.provideService(effect, ParentSpan, span),
      end: (exit: Exit.Exit<unknown, unknown>) =>
        Effect.suspend(() => {
          const call = endedOf(begun, record, exit, since, now())
          return tellAll(sights, ({ ended }) => ended?.(call))
        })
    }
  })
  const scoped: Watcher["scoped"] = (subject, call) =>
    Effect.flatMap(
      Effect.acquireRelease(begin(subject), ({ end }, exit) => end(exit)),
      // Recorded here, since a reader who handles this failure closes the scope with success.
      ({ below, record, watch }) => Effect.tapError(below(call(watch)), (failure) => recordFailure(record, failure))
    )
  const whole = ((subject, call) => Effect.scoped(scoped(subject, call))) as Watcher["whole"]
  const made: Watcher = { whole, scoped }
  observersOf.set(made, observers)
  return made
}

/** Adds an observer to those that are told already. */
export const andTell = (observer: Observer): ((others: Watcher | undefined) => Watcher) => {
  const alone = watcher([observer])
  const together = oncePer((others: Watcher) => watcher([...(observersOf.get(others) ?? []), observer]))
  return (others) => (others === undefined ? alone : together(others))
}

/**
 * Reports every call to each observer: `observe(spans, metrics)`, as the client's option `observe`, or as a layer beside the
 * client. If it is provided twice, the inner one applies.
 */
export const observe = (...observers: ReadonlyArray<Observer>): Layer.Layer<never> =>
  Layer.succeed(Watcher, watcher(observers))
