import { type Carrier, type Incoming, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import { type Bound, isQuotable } from "@tollgate/contract/Operation"
import { taskGet } from "@tollgate/contract/operations/taskGet"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Call, Exchange } from "./Call.ts"
import { capped } from "./capped.ts"
import type { Desk } from "./Desk.ts"
import { perform } from "./perform.ts"
import { polled } from "./polled.ts"
import { quoted } from "./quoted.ts"
import { route } from "./routes.ts"
import type { Scripts } from "./Script.ts"
import type { Turn } from "./Turn.ts"
import { carried, refusal, told } from "./wire.ts"

interface House {
  readonly bound: ReadonlyMap<string, Bound>
  readonly names: Names
  readonly scripts: Scripts
  readonly desk: Desk
  readonly requests: Array<Call>
  /** What came and was not scripted. */
  readonly faults: Array<string>
}

const withoutCredential = ({ authorization: _, ...headers }: Outgoing["headers"]) => headers

const waits = (turn: Turn): boolean =>
  turn.kind === "hang" ||
  turn.kind === "later" ||
  (turn.kind === "broken" && turn.after !== undefined && waits(turn.after))

/** The way of a request through the scripted gateway, in the order that the real one has. */
export const carrying = ({ bound, desk, faults, names, requests, scripts }: House): Carrier["Service"]["carry"] => {
  const unscripted = (what: string) => {
    const fault = `${what} ${scripts.described}.`
    faults.push(fault)
    return Effect.die(new Error(fault))
  }

  const received = (outgoing: Outgoing): Exchange | undefined => {
    const routed = route(bound.values(), outgoing)
    if (routed === undefined) return undefined
    const headers = withoutCredential(outgoing.headers)
    const call: Call = {
      operation: routed.bound.id,
      input: routed.input,
      headers,
      at: desk.now,
      mode: headers[Headers.costMode.key(names)] === undefined ? "call" : "quote",
      idempotencyKey: headers[Headers.idempotencyKey.toLowerCase()],
      requestId: `req_${requests.length + 1}`
    }
    requests.push(call)
    const payload = `${outgoing.method} ${outgoing.path}\n${Utf8.decode(outgoing.body ?? new Uint8Array(0))}`
    return { ...call, bound: routed.bound, body: routed.body, payload }
  }

  const executed = (exchange: Exchange, outgoing: Outgoing): Effect.Effect<Incoming, NotCarried> => {
    const turn = scripts.next(exchange)
    if (turn === undefined) {
      const { method, path } = exchange.bound
      return unscripted(`No answer is scripted for this call of ${exchange.operation} (${method} ${path}).`)
    }
    desk.keys.begin(exchange)
    const performed = perform(
      desk,
      exchange,
      outgoing
    )(turn).pipe(
      // Who leaves before the answer does not learn what came of the call, and nor does anybody else.
      Effect.onInterrupt(() => Effect.sync(() => desk.keys.end(exchange, { state: "unknown" })))
    )
    return waits(turn)
      ? Effect.timeoutOrElse(performed, {
          duration: outgoing.deadlineMillis,
          orElse: () => Effect.fail(new NotCarried({ why: "timeout" }))
        })
      : performed
  }

  const billed = (exchange: Exchange, outgoing: Outgoing): Effect.Effect<Incoming, NotCarried> => {
    const refused = capped(desk.prices, exchange)
    if (refused !== undefined) return carried(outgoing, refused)
    const first = desk.keys.repeated(exchange)
    if (first === undefined) return executed(exchange, outgoing)
    if ("code" in first) return carried(outgoing, refusal(exchange, first))
    const headers = { ...first.headers, [Headers.idempotentReplayed]: "true" }
    return carried(outgoing, told(exchange, { ...first, headers }, { state: "none" }))
  }

  return (outgoing) =>
    Effect.flatMap(Clock.clockWith(Effect.succeed), (clock) => {
      desk.clock = clock
      const exchange = received(outgoing)
      if (exchange === undefined) {
        return unscripted(`No operation is at ${outgoing.method} ${outgoing.path}.`)
      }
      const { operation } = exchange
      if (exchange.mode === "quote") {
        const quote = quoted(desk.prices, exchange)
        return quote === undefined
          ? unscripted(`No price is set for ${operation}, which a quote needs: gateway.price(…, "0.01").`)
          : carried(outgoing, quote)
      }
      if (operation === taskGet.id && !scripts.has(operation)) return carried(outgoing, polled(desk, exchange))
      return isQuotable(exchange.bound) ? billed(exchange, outgoing) : executed(exchange, outgoing)
    })
}
