import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Scenario } from "./Scenario.ts"
import type { Counts, Events, StreamEvent, Streamed } from "./BilledAnswer.ts"

/** The number of events before a stream is cut. The regular end is never sent. */
const cutAt = ({ generate }: Events, after: number | undefined): number => {
  let most = 0
  for (const { final } of generate()) {
    if (final === true) break
    most += 1
  }
  return Math.min(most, after ?? Math.floor(most / 2))
}

function* take(events: Iterable<StreamEvent>, most: number): Generator<StreamEvent> {
  let taken = 0
  if (most === 0) return
  for (const event of events) {
    yield event
    if (++taken === most) return
  }
}

/** Inserts one event that is not JSON, with the name of the event after it. */
function* withGarbage(events: Iterable<StreamEvent>, at: number): Generator<StreamEvent> {
  let index = 0
  for (const event of events) {
    if (index++ === at) yield { ...event, data: '{"sandbox": not JSON', tokens: 0 }
    yield event
  }
}

/** The bytes of events, made as they are read. At the end, even a disconnect, `record` gets what was sent. */
export const eventStream = (
  { billed, events }: Streamed,
  scenario: Scenario,
  record: (counts: Counts) => Effect.Effect<void>
): Stream.Stream<Uint8Array, string> => {
  let recorded = false
  return Stream.suspend(() => {
    const { failure, framing, generate } = events
    let output = 0
    let sent = 0
    const wire = (event: StreamEvent): Uint8Array => {
      output += event.tokens
      return Utf8.encode(framing.frame(event, sent++))
    }
    const send = (all: Iterable<StreamEvent>) => Stream.map(Stream.fromIterable(all, { chunkSize: 1 }), wire)
    const close = Stream.suspend(() => {
      const text = framing.close(sent)
      return text === "" ? Stream.empty : Stream.succeed(Utf8.encode(text))
    })
    const fail = Stream.suspend(() => send([typeof failure === "function" ? failure(sent) : failure]))
    const cut = (after: number | undefined) => send(take(generate(), cutAt(events, after)))

    const underScenario = (): Stream.Stream<Uint8Array, string> => {
      switch (scenario.kind) {
        case "truncated":
          return cut(scenario.after)
        case "reset":
          return Stream.concat(cut(scenario.after), Stream.fail("connection broken by the scenario"))
        case "stall":
          return Stream.concat(cut(scenario.after), Stream.never)
        case "stream-error":
          return cut(scenario.after).pipe(Stream.concat(fail), Stream.concat(close))
        case "garbage":
          return Stream.concat(send(withGarbage(generate(), cutAt(events, scenario.after))), close)
        case "interval":
          return Stream.fromIterable(generate(), { chunkSize: 1 }).pipe(
            Stream.mapEffect((event) =>
              sent === 0 ? Effect.succeed(event) : Effect.delay(Effect.succeed(event), scenario.ms)
            ),
            Stream.map(wire),
            Stream.concat(close)
          )
        default:
          return Stream.concat(send(generate()), close)
      }
    }

    const recordOnce = Effect.suspend(() => {
      if (recorded) return Effect.void
      recorded = true
      return record(billed(output))
    })
    return Stream.ensuring(underScenario(), recordOnce)
  })
}
