import { type Incoming, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import { codes } from "@tollgate/contract/errors/codes"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { lacks } from "../call/answer.ts"
import type { ReceivedCall } from "./Call.ts"
import type { GatewayState } from "./GatewayState.ts"
import { streamBytes } from "./streamBytes.ts"
import type { Events, Refused, Step } from "./Step.ts"
import { formatOf } from "./textEvents.ts"
import { deliver, json, refusal, withGatewayHeaders, type TextAnswer } from "./wire.ts"

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
