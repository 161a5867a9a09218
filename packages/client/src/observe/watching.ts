import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { type Event, object, text } from "../stream/Event.ts"
import type { Reading } from "../stream/Reading.ts"
import { type Usage, usage } from "../stream/usage.ts"
import { failedOf, failureIn } from "./failed.ts"
import type { Begun, Ended, Sight } from "./Observer.ts"
import type { Failure, Watch } from "./Watch.ts"

/** What was seen of a call until now. */
export interface Seen {
  attempts: number
  /** A whole answer has come. */
  answered: boolean
  /** Of a stream whose head has come. */
  reading: Reading | undefined
  failure: Failure | undefined
  status: number | undefined
  requestId: string | undefined
  responseModel: string | undefined
  charge: Charge | undefined
  replayed: boolean
  quote: Ended["quote"]
  usage: Usage
}

export const nothing = (): Seen => ({
  attempts: 0,
  answered: false,
  reading: undefined,
  failure: undefined,
  status: undefined,
  requestId: undefined,
  responseModel: undefined,
  charge: undefined,
  replayed: false,
  quote: undefined,
  usage: {}
})

export const failing = (seen: Seen, failure: Failure): Effect.Effect<void> =>
  Effect.sync(() => {
    seen.failure = failure
  })

/** Notes in `seen` what it is shown. */
export const watching = ({ mode, protocol }: Begun, sights: ReadonlyArray<Sight>, seen: Seen): Watch => {
  /** An answer, or an event of one. */
  const hear = (event: Event): void => {
    if (protocol === undefined || mode === "quote") return
    seen.responseModel ??=
      text(event["model"]) ?? text(event["modelVersion"]) ?? text(object(event["message"])["model"])
    if ("usage" in event || "message" in event || "usageMetadata" in event) seen.usage = usage(seen.usage, event)
  }

  const opened: Watch["opened"] = ({ headers, status }) => {
    seen.status = status
    seen.requestId = headers["x-request-id"]
  }

  return {
    headers: Object.assign({}, ...sights.map(({ headers }) => headers)),
    attempt: (attempt) =>
      Effect.suspend(() => {
        const number = ++seen.attempts
        return Effect.onExit(attempt, (exit) => {
          const failed = Exit.isFailure(exit) ? failedOf(failureIn(exit.cause, "unknown")) : undefined
          return Effect.forEach(sights, ({ attempted }) => attempted?.(number, failed) ?? Effect.void, {
            discard: true
          })
        })
      }),
    answered: ({ charge, head, replayed, value }) => {
      opened(head)
      seen.charge = charge
      seen.replayed = replayed
      seen.answered = true
      hear(object(value))
    },
    quoted: ({ estimate_micros_usd, max_micros_usd }) => {
      seen.quote = { estimate: estimate_micros_usd, max: max_micros_usd }
    },
    opened,
    events: (reading, events) => {
      seen.reading = reading
      return events.pipe(
        Stream.map((event) => {
          hear(event)
          return event
        }),
        Stream.tapError((failure) => failing(seen, failure))
      )
    },
    charged: (charge) => {
      seen.charge = charge
    }
  }
}
