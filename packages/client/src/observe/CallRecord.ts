import { isReplayed } from "@tollgate/contract/errors/decode"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { type Event, object, text, type Reading } from "../events/Event.ts"
import { type Usage, usageOf } from "../events/usage.ts"
import type { Begun, Ended, Failed, Sight, Told } from "./Observer.ts"
import type { Hide } from "../credential/hideCredential.ts"
import type { Failure, Watch } from "../call/Watch.ts"
import { isCode } from "@tollgate/contract/errors/codes"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"

export const failedOf = ({ _tag, code, outcome, status }: Failure): Failed => ({
  type: _tag,
  outcome,
  ...(status === undefined ? {} : { status }),
  // A code that the interface does not define may be arbitrary text.
  ...(code !== undefined && isCode(code) ? { code } : {})
})

/** `unseen` is the outcome if the call ended without an error of its own. */
export const failureIn = (cause: Cause.Cause<unknown>, unseen: Outcome): Failure =>
  Option.getOrElse(Cause.findErrorOption(cause as Cause.Cause<Failure>), () => ({
    _tag: Cause.hasInterruptsOnly(cause) ? "interrupted" : "defect",
    outcome: unseen
  }))

/** What is known of a call so far. */
export class CallRecord {
  attempts = 0
  /** The answer is complete. */
  answered = false
  /** Set once the head of a stream has arrived. */
  reading: Reading | undefined
  failure: Failure | undefined
  status: number | undefined
  requestId: string | undefined
  responseModel: string | undefined
  charge: Charge | undefined
  replayed = false
  quote: Ended["quote"]
  usage: Usage = {}
  firstEventAt: bigint | undefined
  /** An attempt may have run, of this call or of the one that it resumes. */
  doubtful: boolean

  constructor(doubtful: boolean) {
    this.doubtful = doubtful
  }
}

export const recordFailure = (record: CallRecord, failure: Failure): Effect.Effect<void> =>
  Effect.sync(() => {
    record.failure = failure
  })

/** Whatever an observer's function does, the call goes on. */
const harmless = (tell: () => Told): Effect.Effect<void> =>
  Effect.suspend(() => {
    const told = tell()
    if (Effect.isEffect(told)) return Effect.asVoid(told)
    if (told instanceof Promise) told.catch(() => {})
    return Effect.void
  }).pipe(Effect.catchCause(() => Effect.void))

export const tellAll = (sights: ReadonlyArray<Sight>, tell: (sight: Sight) => Told): Effect.Effect<void> =>
  Effect.forEach(sights, (sight) => harmless(() => tell(sight)), { discard: true })

/** All of them, the first outermost. */
const aroundOf = (sights: ReadonlyArray<Sight>): Watch["around"] =>
  sights.reduceRight<Watch["around"]>((inner, { around }) => {
    if (around === undefined || inner === undefined) return around ?? inner
    return (request, sent) => around(inner(request, sent), sent)
  }, undefined)

/** Where events have token counts. */
const counting = ["usage", "message", "response", "usageMetadata"]

/** Makes the hooks that fill the record. */
export const makeWatch = (
  { mode, protocol }: Begun,
  sights: ReadonlyArray<Sight>,
  record: CallRecord,
  now: () => bigint
): Watch => {
  let hide: Hide = String
  /** Reads model and usage from an answer or an event. */
  const readEvent = (event: Event): void => {
    if (protocol === undefined || mode === "quote") return
    const model =
      text(event["model"]) ??
      text(event["modelVersion"]) ??
      text(object(event["message"] ?? event["response"])["model"])
    if (model !== undefined) record.responseModel ??= hide(model)
    if (counting.some((name) => name in event)) record.usage = { ...record.usage, ...usageOf(event) }
  }

  const opened: Watch["opened"] = (head) => {
    hide = head.hide
    record.status = head.status
    const requestId = head.headers["x-request-id"]
    record.requestId = requestId === undefined ? undefined : hide(requestId)
  }

  return {
    headers: Object.assign({}, ...sights.map(({ headers }) => headers)),
    around: aroundOf(sights),
    waits: (millis) => tellAll(sights, ({ waits }) => waits?.(millis)),
    attempt: (attempt) =>
      Effect.suspend(() => {
        const number = ++record.attempts
        return Effect.onExit(attempt, (exit) => {
          const failed = Exit.isFailure(exit) ? failedOf(failureIn(exit.cause, "unknown")) : undefined
          // What is in flight may be another call with the same key.
          record.doubtful ||= failed?.outcome === "unknown" && failed.code !== "idempotency_in_flight"
          return tellAll(sights, ({ attempted }) => attempted?.(number, failed))
        })
      }),
    answered: ({ charge, head, value }) => {
      opened(head)
      record.charge = charge
      record.replayed = isReplayed(head.headers)
      record.answered = true
      readEvent(object(value))
    },
    quoted: ({ estimate, max }) => {
      record.quote = { estimate, max }
    },
    opened,
    events: (reading, events) => {
      record.reading = reading
      if (reading.requestId !== undefined) record.requestId = hide(reading.requestId)
      return events.pipe(
        Stream.map((event) => {
          record.firstEventAt ??= now()
          readEvent(event)
          return event
        }),
        Stream.tapError((failure) => recordFailure(record, failure))
      )
    },
    charged: (charge) => {
      record.charge = charge
    }
  }
}
