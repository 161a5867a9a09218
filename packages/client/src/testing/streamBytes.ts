import { NotCarried } from "@tollgate/contract/carrier/Carrier"
import { type Code, isCode } from "@tollgate/contract/errors/codes"
import { encode } from "@tollgate/contract/errors/encode"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Event } from "../events/Event.ts"
import type { Events, StreamFormat } from "./Step.ts"

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
export const streamBytes = (
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
