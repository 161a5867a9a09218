import { type Incoming, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import { type Code, codes, isCode } from "@tollgate/contract/errors/codes"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { lacks } from "../call/answer.ts"
import type { Event } from "../events/Event.ts"
import type { ReceivedCall } from "./Call.ts"
import type { GatewayState } from "./GatewayState.ts"
import { type StreamEnding, streamBytes } from "./streamBytes.ts"
import { formatOf, type StreamFormat, type TextEvents, textEvents } from "./textEvents.ts"
import { deliver, json, refusal, type TextAnswer, withGatewayHeaders } from "./wire.ts"

/** One request, and the gateway that answers it. */
export interface Performed {
  readonly call: ReceivedCall
  readonly outgoing: Outgoing
  readonly state: GatewayState
}

/** How one request is answered, or fails. It records the charge and the outcome as the gateway does. */
export interface Step<A = unknown> {
  readonly perform: (performed: Performed) => Effect.Effect<Incoming, NotCarried>
  /** For the type alone. */
  readonly value?: A
}

/** Steps in order, each used once. */
export interface Sequence<A = unknown> {
  readonly steps: ReadonlyArray<Step<A>>
}

type Headers = Readonly<Record<string, string>>

/** In decimal USD. By default it is the price that is set. */
interface Cost {
  readonly cost?: string
}

type AnswerOptions = Cost & { readonly headers?: Headers }

const succeed = ({ call, outgoing, state }: Performed, answer: TextAnswer, cost: string | undefined) =>
  Effect.suspend(() => {
    const charge = state.charge(call, cost)
    state.end(call, "settled", { ...answer, charge })
    return deliver(outgoing, withGatewayHeaders(call, answer, charge))
  })

const encodeReply = ({ bound, operation }: ReceivedCall, value: unknown) => {
  const mismatch = (why: string) => Effect.die(new Error(`The scripted reply does not match ${operation}: ${why}`))
  const { list, success } = bound
  if (list !== undefined && lacks(list, value)) return mismatch(`it has no \`${list}\``)
  return Schema.encodeUnknownEffect(success as Schema.ConstraintEncoder<unknown>)(value).pipe(
    Effect.map(JSON.stringify),
    Effect.catch((error) => mismatch(error.message))
  )
}

/** A successful answer, which must match the operation. */
export const reply = <A>(value: A, { cost, headers }: AnswerOptions = {}): Step<A> => ({
  value,
  perform: (performed) =>
    Effect.flatMap(encodeReply(performed.call, value), (body) =>
      succeed(performed, { status: 200, headers: { ...json, ...headers }, body }, cost)
    )
})

/** Scripts may be JavaScript. */
const checkCode = (code: string): void => {
  if (!isCode(code)) throw new TypeError(`The gateway has no code ${code}`)
}

interface FailOptions {
  readonly message?: string
  /** The code's own status by default. */
  readonly status?: number
  readonly retryAfter?: Duration.Input
  readonly headers?: Headers
}

/** An error of the gateway, in the format of the operation's errors. */
export const fail = (
  code: Code,
  { headers, message = `Scripted: ${code}.`, retryAfter, status }: FailOptions = {}
): Step<never> => {
  checkCode(code)
  const refused = {
    code,
    message,
    ...(retryAfter === undefined ? {} : { retryAfter: Duration.toMillis(retryAfter) }),
    ...(status === undefined ? {} : { status })
  }
  return {
    perform: ({ call, outgoing, state }) => {
      // "In flight" says nothing about the call's own end.
      const isUnknown = codes[code].outcome === "unknown" && code !== "idempotency_in_flight"
      state.end(call, isUnknown ? "unknown" : "released")
      return deliver(outgoing, refusal(call, refused, headers))
    }
  }
}

/** An answer as is, such as one that the gateway passes through from an upstream. */
export const raw = (status: number, body: string, { cost, headers = {} }: AnswerOptions = {}): Step<never> => ({
  perform: (performed) => {
    const { call, outgoing, state } = performed
    const answer = { status, headers, body }
    if (status >= 200 && status < 300) return succeed(performed, answer, cost)
    state.end(call, "released")
    return deliver(outgoing, withGatewayHeaders(call, answer, { state: "none" }))
  }
})

const broken = (why: NotCarried["why"], after?: Step): Step<never> => ({
  perform: (performed) => {
    const { call, state } = performed
    if (after === undefined) state.end(call, "released")
    const lost = Effect.fail(new NotCarried({ why, cause: new Error("scripted") }))
    return after === undefined ? lost : Effect.andThen(after.perform(performed), lost)
  }
})

/** The connection breaks before the request arrives, or `after` the gateway performed this step. */
export const reset = <A = never>(after?: Step<A>): Step<A> => broken("broken", after)

/** The connection failed, which proves that nothing ran. */
export const notSent = (): Step<never> => broken("not sent")

/** The gateway accepts the request and does not answer before the caller's deadline. */
export const hang = (): Step<never> => ({ perform: () => Effect.never })

/** Delays a step. */
export const later = <A>(after: Duration.Input, { perform }: Step<A>): Step<A> => ({
  perform: (performed) => Effect.andThen(Effect.sleep(after), perform(performed))
})

/** Steps in order, each used once. A request after the last one counts as not scripted. */
export const sequence = <A>(...steps: ReadonlyArray<Step<A>>): Sequence<A> => ({ steps })

type StreamOptions = Cost & {
  readonly end?: StreamEnding
  /** Between two events. */
  readonly every?: Duration.Input
}

const eventsOf = (
  eventsFor: (format: StreamFormat) => TextEvents,
  { cost, end = "whole", every = 0 }: StreamOptions
): Step<never> => {
  if (!["whole", "cut", "reset", "hang"].includes(end)) checkCode(end)
  return {
    perform: ({ call, outgoing, state }) => {
      const format = formatOf(call.bound)
      const body = streamBytes(eventsFor(format), {
        format,
        end,
        every,
        idleMillis: outgoing.idleMillis,
        settle: (isWhole, sent) => {
          const isUnknown = !isWhole && sent === 0
          const charge = isUnknown ? { state: "unknown" as const } : state.charge(call, cost)
          // A stream cannot be replayed, so its key has no stored answer.
          state.end(call, isUnknown ? "unknown" : "settled")
          return isWhole || charge.micros === undefined ? charge : { ...charge, state: "estimated" }
        }
      })
      const head = { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" } }
      return deliver(outgoing, { ...withGatewayHeaders(call, head, { state: "pending" }), body })
    }
  }
}

/** A stream of these events. OpenAI's end mark is added; other protocols end with their last event. */
export const events = (list: ReadonlyArray<Event>, options: StreamOptions = {}): Step<never> =>
  eventsOf(() => ({ events: list, closing: [] }), options)

/** A stream of these texts, in the operation's protocol. */
export const says = (texts: ReadonlyArray<string>, options: StreamOptions = {}): Step<never> =>
  eventsOf((format) => textEvents(format, texts), options)
