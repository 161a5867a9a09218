import { read } from "@tollgate/contract/price/exact"
import type { Head, NotCarried } from "@tollgate/contract/carrier/Carrier"
import { isReadonlyArrayNonEmpty, type NonEmptyReadonlyArray } from "effect/Array"
import * as Bytes from "effect/Bytes"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { callerMayDisconnect } from "../internal/callerMayDisconnect.ts"
import { emptyBytes } from "../internal/emptyBytes.ts"
import { tryParseSmall } from "../internal/jsonValue.ts"
import type { Event } from "../internal/sse.ts"
import { hasType } from "./protocols/message.ts"
import { observeEvents, observeItems } from "./protocols/filterEvents.ts"
import type { StreamMeter } from "./Protocol.ts"
import { errorIn, type StreamError } from "./protocols/streamError.ts"

type Chunks = NonEmptyReadonlyArray<Uint8Array>

/** How long the caller waits for the head of a stream that has no event yet, and how much is held back meanwhile. */
const longestWaitMillis = 5_000
const mostBytes = 65_536
/** An event beyond that is no error. */
const longestError = 16_384

/** What a stream begins with. `undefined`: more has to arrive. */
type Beginning = "answer" | StreamError | undefined

const isAlive = (event: unknown): boolean => {
  const type = read(event, ["type"])
  return type === "ping" || type === "keepalive"
}

const beginningOf = ({ bytes, from, isError, to }: Event): Beginning => {
  if (to - from > longestError) return "answer"
  const event = tryParseSmall(bytes, from, to)
  if (isAlive(event)) return undefined
  return errorIn(event, isError) ?? "answer"
}

/** Finds the first event, or the first item of an array. Comments and pings are none. */
const beginningIn = (isEvents: boolean): ((chunk: Uint8Array) => Beginning) => {
  let beginning: Beginning
  const see = (event: Event) => void (beginning ??= beginningOf(event))
  const reader = isEvents
    ? observeEvents(see)
    : observeItems((bytes, from, to) => see({ bytes, from, to, isError: false }))
  return (chunk) => {
    reader.push(chunk)
    return beginning
  }
}

/** The stream, the error that it consists of, or the bytes of something that is no stream of the protocol. */
export type Began = Stream.Stream<Uint8Array, NotCarried> | StreamError | Uint8Array

/** Tells whether an event of an answer has come, and how much of something else. */
class AnswerBegin {
  readonly #inspect: (chunk: Uint8Array) => Beginning
  readonly #meter: StreamMeter
  #found: Beginning
  #foreign = 0

  constructor(inspect: (chunk: Uint8Array) => Beginning, meter: StreamMeter) {
    this.#inspect = inspect
    this.#meter = meter
  }

  readonly inspect = (chunk: Uint8Array): Beginning => {
    this.#foreign += this.#meter.push(chunk).length
    this.#found ??= this.#inspect(chunk)
    if (this.#found !== "answer") return this.#found
    const { started, state } = this.#meter.report()
    return started || state === "failed" || this.#meter.isTooLarge() ? this.#found : undefined
  }

  /** Whole events, not one that is still arriving. */
  get isForeign(): boolean {
    return this.#foreign > mostBytes / 2
  }
}

/** What was held back, then what a read under way brings, then the rest. */
const restOf = (
  pull: Pull.Pull<Chunks, NotCarried>,
  scope: Scope.Closeable,
  read: Read,
  reading: Fiber.Fiber<void>
): Stream.Stream<Uint8Array, NotCarried> => {
  const next: Pull.Pull<Chunks, NotCarried> = Effect.suspend(() => {
    if (isReadonlyArrayNonEmpty(read.held)) {
      const chunks = read.held
      read.held = []
      return Effect.succeed(chunks)
    }
    if (reading.pollUnsafe() === undefined) return Effect.andThen(Fiber.await(reading), next)
    return read.end === undefined ? pull : Effect.failCause(read.end)
  })
  return Stream.fromChannel(
    Channel.fromTransform((_, own) => Effect.as(Scope.addFinalizer(own, Scope.close(scope, Exit.void)), next))
  )
}

interface Read {
  held: Array<Uint8Array>
  bytes: number
  beginning: Beginning
  end: Cause.Cause<NotCarried | Cause.Done> | undefined
  /** Undefined once nobody waits for the first event. */
  inspect: ((chunk: Uint8Array) => Beginning) | undefined
}

const readInto = (read: Read, pull: Pull.Pull<Chunks, NotCarried>): Effect.Effect<void> =>
  Effect.matchCauseEffect(pull, {
    onSuccess: (chunks) => {
      for (const chunk of chunks) {
        read.held.push(chunk)
        read.bytes += chunk.length
        read.beginning ??= read.inspect?.(chunk)
      }
      return read.beginning === undefined && read.inspect !== undefined && read.bytes <= mostBytes
        ? readInto(read, pull)
        : Effect.void
    },
    onFailure: (cause) => Effect.sync(() => void (read.end = cause))
  })

/**
 * Waits for the first event of a stream, for a bounded time, before the caller gets a head: an error that comes first is no
 * answer. With a meter, neither is what the protocol does not have. A caller who leaves ends the wait, not the call.
 */
export const firstEvent = (
  head: Head,
  body: Stream.Stream<Uint8Array, NotCarried>,
  meter?: () => StreamMeter
): Effect.Effect<Began> =>
  Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    const first = beginningIn(hasType(head, "text/event-stream"))
    const billed = meter && new AnswerBegin(first, meter())
    const inspect = billed?.inspect ?? first
    const read: Read = { held: [], bytes: 0, beginning: undefined, end: undefined, inspect }
    // Not `Stream.toPull`, which takes a permit and copies the services for every chunk.
    const begun = Effect.flatMap(Channel.toPullScoped(body.channel, scope), (pull) =>
      Effect.flatMap(Effect.forkIn(readInto(read, pull), scope, { startImmediately: true }), (reading) => {
        const waited =
          reading.pollUnsafe() === undefined
            ? Effect.exit(callerMayDisconnect(Effect.timeoutOption(Fiber.await(reading), longestWaitMillis)))
            : Effect.void
        return Effect.flatMap(waited, (): Effect.Effect<Began> => {
          const { beginning, end, held } = read
          read.inspect = undefined
          if (billed !== undefined && beginning === undefined) {
            const hasEnded = end !== undefined && Pull.isDoneCause(end)
            if (hasEnded || billed.isForeign) {
              return Effect.as(Scope.close(scope, Exit.void), hasEnded ? Bytes.concat(held) : emptyBytes)
            }
          }
          return beginning === undefined || beginning === "answer"
            ? Effect.succeed(restOf(pull, scope, read, reading))
            : Effect.as(Scope.close(scope, Exit.void), beginning)
        })
      })
    )
    return Effect.onInterrupt(begun, () => Scope.close(scope, Exit.void))
  })
