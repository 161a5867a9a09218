import { type Incoming, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import { codes } from "@tollgate/contract/errors/codes"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Exchange } from "./Call.ts"
import type { Desk } from "./Desk.ts"
import { streamed } from "./streamed.ts"
import type { Events, Refused, Turn, Video } from "./Turn.ts"
import { carried, json, refusal, told, type Written } from "./wire.ts"

const fitting = ({ bound, operation }: Exchange, value: unknown): Effect.Effect<Written> =>
  Schema.encodeUnknownEffect(bound.success as Schema.ConstraintEncoder<unknown>)(value).pipe(
    Effect.map((encoded) => ({ status: 200, headers: json, body: JSON.stringify(encoded) })),
    Effect.catch((error) => Effect.die(new Error(`The scripted reply is no answer of ${operation}: ${error.message}`)))
  )

const promptIn = ({ body }: Exchange): string =>
  Option.match(Schema.decodeUnknownOption(Schema.Struct({ input: Schema.Struct({ prompt: Schema.String }) }))(body), {
    onNone: () => "",
    onSome: ({ input }) => input.prompt
  })

const lost = (why: NotCarried["why"]) => Effect.fail(new NotCarried({ why, cause: new Error("scripted") }))

/** Does what a turn says, and keeps the books as the gateway would. */
export const perform = (desk: Desk, exchange: Exchange, outgoing: Outgoing) => {
  const { keys } = desk
  const answered = (answer: Written, cost: string | undefined) =>
    Effect.suspend(() => carried(outgoing, told(exchange, answer, desk.settle(exchange, answer, cost))))

  const refused = ({ code, headers, message = `Scripted: ${code}.`, retryAfter, status }: Refused) => {
    keys.end(exchange, { state: codes[code].outcome === "unknown" ? "unknown" : "released" })
    const more = {
      ...(retryAfter === undefined ? {} : { retryAfter: Duration.toMillis(retryAfter) }),
      ...(status === undefined ? {} : { status })
    }
    return carried(outgoing, refusal(exchange, { code, message, ...more }, headers))
  }

  const begun = (video: Video) =>
    Effect.flatMap(fitting(exchange, desk.begin(exchange, video, promptIn(exchange))), (answer) => {
      keys.end(exchange, { state: "settled", answer })
      return carried(outgoing, told(exchange, answer, { state: "pending" }))
    })

  const streaming = (events: Events) => {
    const head = { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" }, body: "" }
    const body = streamed(events, {
      family: exchange.bound.family,
      idleMillis: outgoing.idleMillis,
      settle: (how, count) => desk.settleStream(exchange, how, count, events.cost)
    })
    return carried(outgoing, { ...told(exchange, head, { state: "pending" }), body })
  }

  const turned = (turn: Turn): Effect.Effect<Incoming, NotCarried> => {
    switch (turn.kind) {
      case "reply":
        return Effect.flatMap(fitting(exchange, turn.value), ({ headers, ...answer }) =>
          answered({ ...answer, headers: { ...headers, ...turn.headers } }, turn.cost)
        )
      case "raw":
        if (turn.status >= 200 && turn.status < 300) return answered(turn, turn.cost)
        keys.end(exchange, { state: "released" })
        return carried(outgoing, told(exchange, turn, { state: "none" }))
      case "refused":
        return refused(turn)
      case "broken":
        if (turn.after !== undefined) return Effect.andThen(turned(turn.after), lost(turn.why))
        keys.end(exchange, { state: "released" })
        return lost(turn.why)
      case "hang":
        return Effect.never
      case "later":
        return Effect.flatMap(Effect.sleep(turn.after), () => turned(turn.turn))
      case "video":
        return begun(turn)
      case "events":
        return streaming(turn)
    }
  }
  return turned
}
