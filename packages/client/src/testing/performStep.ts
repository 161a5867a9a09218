import type { Events, Refused, Step, StreamFormat } from "./Script.ts"
import { type Incoming, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import { type Code, codes, isCode } from "@tollgate/contract/errors/codes"
import { encode } from "@tollgate/contract/errors/encode"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Event } from "../events/Event.ts"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { lacks } from "../call/answer.ts"
import type { ReceivedCall } from "./Call.ts"
import type { GatewayState } from "./GatewayState.ts"
import { formatOf } from "./textEvents.ts"
import { deliver, json, refusal, type TextAnswer, withGatewayHeaders } from "./wire.ts"

const data = (value: unknown, name?: unknown): string =>
  `${typeof name === "string" ? `event: ${name}\n` : ""}data: ${JSON.stringify(value)}\n\n`

/** Whether the format names its events. */
const isNamed = (format: StreamFormat): boolean => format === "anthropic" || format === "responses"

const encodeEvent = (format: StreamFormat, event: Event): string =>
  data(event, isNamed(format) ? event["type"] : undefined)

const errorBody = (format: StreamFormat, code: Code, sent: number): unknown => {
  const message = "The upstream broke off."
  return format === "responses"
    ? { type: "error", code, message, param: null, sequence_number: sent }
    : encode(format, { code, message }).body
}

const comment = ({ micros, state }: Charge): string =>
  micros === undefined ? "" : `: cost_micros_usd=${micros} cost_state=${state}\n\n`

interface StreamContext {
  readonly format: StreamFormat
  readonly idleMillis: number
  /** Runs once, however the stream ends. `sent` is the number of events sent. */
  readonly settle: (ending: "whole" | "cut", sent: number) => Charge
}

/** The bytes of a stream of events. */
const streamBytes = (
  { end, every = 0, eventsFor }: Events,
  { format, idleMillis, settle }: StreamContext
): Stream.Stream<Uint8Array, NotCarried> =>
  Stream.suspend(() => {
    const { closing, events } = eventsFor(format)
    let sent = 0
    let charge: Charge | undefined
    const settled = (ending: "whole" | "cut"): Charge => (charge ??= settle(ending, sent))
    const chunks = (end === "whole" ? [...events, ...closing] : events).map((event) => encodeEvent(format, event))

    const last = (): Stream.Stream<string, NotCarried> => {
      if (end === "whole") {
        return Stream.make((format === "openai" ? "data: [DONE]\n\n" : "") + comment(settled("whole")))
      }
      if (end === "cut") return Stream.empty
      if (end === "reset") return Stream.fail(new NotCarried({ why: "broken", cause: new Error("reset") }))
      if (isCode(end)) {
        const body = errorBody(format, end, sent)
        return Stream.make(data(body, isNamed(format) ? "error" : undefined) + comment(settled("cut")))
      }
      const silence = Effect.timeoutOrElse(Effect.never, {
        duration: idleMillis,
        orElse: () => Effect.fail(new NotCarried({ why: "timeout" }))
      })
      return Stream.fromEffect(silence)
    }

    return Stream.fromIterable(chunks).pipe(
      Stream.mapEffect((chunk) =>
        Effect.map(sent === 0 ? Effect.void : Effect.sleep(every), () => {
          sent++
          return chunk
        })
      ),
      Stream.concat(Stream.suspend(last)),
      Stream.map(Utf8.encode),
      Stream.ensuring(Effect.sync(() => settled("cut")))
    )
  })

const encodeReply = ({ bound, operation }: ReceivedCall, value: unknown): Effect.Effect<TextAnswer> => {
  const mismatch = (why: string) => Effect.die(new Error(`The scripted reply does not match ${operation}: ${why}`))
  const { list } = bound
  if (list !== undefined && lacks(list, value)) return mismatch(`it has no \`${list}\``)
  return Schema.encodeUnknownEffect(bound.success as Schema.ConstraintEncoder<unknown>)(value).pipe(
    Effect.map((encoded) => ({ status: 200, headers: json, body: JSON.stringify(encoded) })),
    Effect.catch((error) => mismatch(error.message))
  )
}

const loseAnswer = (why: NotCarried["why"]) => Effect.fail(new NotCarried({ why, cause: new Error("scripted") }))

/** Performs a step, and records its charge and outcome like the gateway. */
export const performStep = (gateway: GatewayState, received: ReceivedCall, outgoing: Outgoing) => {
  const { keys } = gateway
  const succeed = (answer: TextAnswer, cost: string | undefined) =>
    Effect.suspend(() =>
      deliver(outgoing, withGatewayHeaders(received, answer, gateway.settle(received, answer, cost)))
    )

  const refuse = ({ code, headers, message = `Scripted: ${code}.`, retryAfter, status }: Refused) => {
    // "In flight" says nothing about the call's own end.
    const isUnknown = codes[code].outcome === "unknown" && code !== "idempotency_in_flight"
    keys.end(received, { state: isUnknown ? "unknown" : "released" })
    const more = {
      ...(retryAfter === undefined ? {} : { retryAfter: Duration.toMillis(retryAfter) }),
      ...(status === undefined ? {} : { status })
    }
    return deliver(outgoing, refusal(received, { code, message, ...more }, headers))
  }

  const startStream = (events: Events) => {
    const head = { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" }, body: "" }
    const body = streamBytes(events, {
      format: formatOf(received.bound),
      idleMillis: outgoing.idleMillis,
      settle: (ending, count) => gateway.settleStream(received, ending, count, events.cost)
    })
    return deliver(outgoing, { ...withGatewayHeaders(received, head, { state: "pending" }), body })
  }

  const run = (step: Step): Effect.Effect<Incoming, NotCarried> => {
    switch (step.kind) {
      case "reply":
        return Effect.flatMap(encodeReply(received, step.value), ({ headers, ...answer }) =>
          succeed({ ...answer, headers: { ...headers, ...step.headers } }, step.cost)
        )
      case "raw":
        if (step.status >= 200 && step.status < 300) return succeed(step, step.cost)
        keys.end(received, { state: "released" })
        return deliver(outgoing, withGatewayHeaders(received, step, { state: "none" }))
      case "refused":
        return refuse(step)
      case "broken":
        if (step.after !== undefined) return Effect.andThen(run(step.after), loseAnswer(step.why))
        keys.end(received, { state: "released" })
        return loseAnswer(step.why)
      case "hang":
        return Effect.never
      case "later":
        return Effect.flatMap(Effect.sleep(step.after), () => run(step.step))
      case "events":
        return startStream(step)
    }
  }
  return run
}
