import { NotCarried } from "@tollgate/contract/carrier/Carrier"
import { type Code, isCode } from "@tollgate/contract/errors/codes"
import { encode } from "@tollgate/contract/errors/encode"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Utf8 from "@tollgate/contract/Utf8"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { StreamFormat, TextEvents } from "./textEvents.ts"

/** How a stream ends: complete, without an end, with a reset, with silence, or with an error of this code. */
export type StreamEnding = "whole" | "cut" | "reset" | "hang" | Code

const line = (format: StreamFormat, value: object, name: unknown): string => {
  const isNamed = (format === "anthropic" || format === "responses") && typeof name === "string"
  return `${isNamed ? `event: ${name}\n` : ""}data: ${JSON.stringify(value)}\n\n`
}

const errorLine = (format: StreamFormat, code: Code, sent: number): string => {
  const message = "The upstream broke off."
  const body =
    format === "responses"
      ? { type: "error", code, message, param: null, sequence_number: sent }
      : encode(format, { code, message }).body
  return line(format, body, "error")
}

const comment = ({ micros, state }: Charge): string =>
  micros === undefined ? "" : `: cost_micros_usd=${micros} cost_state=${state}\n\n`

interface StreamOptions {
  readonly format: StreamFormat
  readonly end: StreamEnding
  readonly every: Duration.Input
  readonly idleMillis: number
  /** Runs once, however the stream ends. `sent` is the number of events sent. */
  readonly settle: (isWhole: boolean, sent: number) => Charge
}

export const streamBytes = (
  { closing, events }: TextEvents,
  { end, every, format, idleMillis, settle }: StreamOptions
): Stream.Stream<Uint8Array, NotCarried> =>
  Stream.suspend(() => {
    let sent = 0
    let charge: Charge | undefined
    const settled = (isWhole: boolean): Charge => (charge ??= settle(isWhole, sent))
    const broken = (why: NotCarried["why"]) => Effect.fail(new NotCarried({ why, cause: new Error("scripted") }))

    const last = (): Stream.Stream<string, NotCarried> => {
      if (end === "whole") return Stream.make((format === "openai" ? "data: [DONE]\n\n" : "") + comment(settled(true)))
      if (isCode(end)) return Stream.make(errorLine(format, end, sent) + comment(settled(false)))
      if (end === "cut") return Stream.empty
      return Stream.fromEffect(
        end === "reset" ? broken("broken") : Effect.andThen(Effect.sleep(idleMillis), broken("timeout"))
      )
    }

    return Stream.fromIterable(end === "whole" ? [...events, ...closing] : events).pipe(
      Stream.mapEffect((event) =>
        Effect.map(sent === 0 ? Effect.void : Effect.sleep(every), () => {
          sent++
          return line(format, event, event["type"])
        })
      ),
      Stream.concat(Stream.suspend(last)),
      Stream.map(Utf8.encode),
      Stream.ensuring(Effect.sync(() => settled(false)))
    )
  })
