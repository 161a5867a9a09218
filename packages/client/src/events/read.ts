import { attempt } from "@tollgate/contract/attempt"
import { type Charge, CostState } from "@tollgate/contract/Outcome"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { SseItem, SseEvent } from "./sse/parser.ts"
import { type BrokenStream, StreamTimedOut, StreamTruncated, EventInvalid, StreamFailed } from "./errors.ts"
import { type Event, progressOf, type Reading, object, text } from "./Event.ts"
import type { Completion } from "./Protocol.ts"
import * as Predicate from "effect/Predicate"
import { amountOf, parseMicros } from "@tollgate/contract/Money"
import * as Schema from "effect/Schema"

const isCostState = Schema.is(CostState)

/** The charge in an SSE comment, which the gateway sends after the last event. */
const chargeIn = (comment: string): Charge | undefined => {
  const [, digits, state] = /^cost_micros_usd=(\d+) cost_state=([a-z]+)$/.exec(comment.trim()) ?? []
  return chargeOf(state, digits)
}

/** A charge that the gateway tells. `undefined`: it does not tell it. */
export const chargeOf = (state: unknown, digits: string | undefined): Charge | undefined => {
  const micros = parseMicros(digits)
  return isCostState(state) && micros !== undefined ? { state, ...amountOf(micros) } : undefined
}

export const eventIn = (data: string): Event | undefined =>
  attempt(() => {
    const value: unknown = JSON.parse(data)
    return Predicate.isObject(value) ? object(value) : undefined
  })

/** Whether the event is an error, in any of the protocols. */
const isFailure = (event: Event, name: string | undefined): boolean =>
  name === "error" ||
  event["type"] === "error" ||
  event["type"] === "response.failed" ||
  Predicate.isObject(event["error"]) ||
  Boolean(text(event["error"]))

const failed = (reading: Reading, event: Event, charge: Charge) => {
  const { hide } = reading
  const own = event["error"] ?? object(event["response"])["error"]
  const error = Predicate.isObject(own) ? object(own) : event
  const { message, status } = error
  // Gemini's own code is a number; the gateway's is beside the error.
  const code = text(event["code"]) ?? error["code"]
  const type = text(error["type"]) ?? text(status)
  return new StreamFailed({
    ...progressOf(reading),
    message: hide(text(message) ?? text(event["error"]) ?? "The stream reports an error"),
    ...(typeof code === "string" || typeof code === "number" ? { code: hide(String(code)) } : {}),
    ...(type === undefined ? {} : { type: hide(type) }),
    charge
  })
}

/** Interprets the items of a stream: events, charge and errors. */
const interpreter = (protocol: Completion, reading: Reading) => {
  const trackState = protocol.trackState()
  let charge: Charge = { state: "unknown" }
  let failure: Event | undefined
  let invalid: string | undefined

  const isOver = () => failure !== undefined || invalid !== undefined

  const take = ({ data, event: name }: SseEvent): ReadonlyArray<Event> => {
    // Without data it is a keep-alive.
    if (isOver() || data === "") return []
    if (data.trim() === protocol.endMarker) {
      reading.state = "over"
      return []
    }
    const event = eventIn(data)
    if (event === undefined) {
      // After a complete answer, invalid data does not matter.
      if (reading.state === "open") invalid = data
      return []
    }
    if (isFailure(event, name)) {
      failure = event
      return []
    }
    reading.events++
    reading.state = trackState(event) ?? reading.state
    return [event]
  }

  return {
    isOver,
    charge: () => charge,
    /** After an error only the charge is read. */
    events: (items: ReadonlyArray<SseItem>): Array<Event> =>
      items.flatMap((item) => {
        if ("data" in item) return take(item)
        charge = chargeIn(item.comment) ?? charge
        return []
      }),
    error: (): StreamFailed | EventInvalid | undefined => {
      if (failure !== undefined) return failed(reading, failure, charge)
      if (invalid === undefined) return undefined
      return new EventInvalid({
        ...progressOf(reading),
        outcome: "executed",
        message: "An event is not a JSON object",
        data: reading.hide(invalid)
      })
    }
  }
}

/** How to learn what a stream cost that did not reach its charge. */
export const askCost = (requestId: string | undefined): string =>
  `it may be charged${requestId === undefined ? "" : ": `charge` tells by its requestId what it cost"}`

/** After the last event only the charge can follow; this is how long to wait for it. */
const lingerMillis = 2_000

/** Fails if nothing arrives for this long. Keep-alive comments count. */
export const limitSilence =
  (reading: Reading, idleMillis: number) =>
  <A, E, R>(body: Stream.Stream<A, E, R>): Stream.Stream<A, E | StreamTimedOut, R> =>
    Stream.transformPull(body, (pull) =>
      Effect.succeed(
        Effect.suspend(() => {
          const millis = reading.state === "over" ? Math.min(lingerMillis, idleMillis) : idleMillis
          return Effect.timeoutOrElse(pull, {
            duration: millis,
            orElse: () =>
              Effect.fail(
                new StreamTimedOut({ ...progressOf(reading), message: `Nothing arrived for ${millis} ms`, millis })
              )
          })
        })
      )
    )

export type OnCharge = (charge: Charge) => Effect.Effect<void>

/** Emits the events of a stream, and fails after the last one if the stream is not complete. */
export const read =
  (protocol: Completion, reading: Reading, onCharge: OnCharge) =>
  (items: Stream.Stream<SseItem, BrokenStream>): Stream.Stream<Event, BrokenStream> =>
    Stream.transformPull(items, (pull) =>
      Effect.sync(() => {
        const { charge, error, events, isOver } = interpreter(protocol, reading)

        const end: Pull.Pull<never, BrokenStream> = Effect.suspend(() => {
          const told = charge().state === "unknown" ? Effect.void : onCharge(charge())
          const truncated = () =>
            new StreamTruncated({ ...progressOf(reading), message: "The stream ended before its last event" })
          const broken = error() ?? (reading.state === "open" ? truncated() : undefined)
          const last: Pull.Pull<never, BrokenStream> = broken === undefined ? Cause.done() : Effect.fail(broken)
          return Effect.andThen(told, last)
        })

        const next: Pull.Pull<Arr.NonEmptyReadonlyArray<Event>, BrokenStream> = Effect.suspend(() =>
          isOver()
            ? end
            : Pull.matchEffect(pull, {
                onSuccess: (items) => {
                  const some = events(items)
                  return Arr.isArrayNonEmpty(some) ? Effect.succeed(some) : next
                },
                onFailure: (cause: Cause.Cause<BrokenStream>) =>
                  reading.state !== "open" && cause.reasons.every(Cause.isFailReason) ? end : Effect.failCause(cause),
                onDone: () => end
              })
        )
        return next
      })
    )
