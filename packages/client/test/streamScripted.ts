import type { Options } from "@tollgate/client"
import type { Event } from "../src/events/Event.ts"
import * as Effect from "effect/Effect"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import { scripted } from "./scripted.ts"

type Step = string | Error

/** A step that sends nothing more. */
export const hang = "hang"

/** Sends the steps as chunks; an error breaks the stream, `hang` stalls it. `closed` counts closed connections. */
export const events = (steps: ReadonlyArray<Step>, options: Partial<Options> = {}, headers = {}) => {
  const seen = { closed: 0 }
  const made = scripted(
    (request) =>
      Effect.sync(() => {
        const rest = steps.values()
        const body = new ReadableStream<Uint8Array>(
          {
            pull: (controller) => {
              const { done, value } = rest.next()
              if (done === true) return controller.close()
              if (value === hang) return new Promise(() => {})
              if (value instanceof Error) return controller.error(value)
              controller.enqueue(new TextEncoder().encode(value))
              return undefined
            },
            cancel: () => {
              seen.closed++
            }
          },
          { highWaterMark: 0 }
        )
        return HttpClientResponse.fromWeb(
          request,
          new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8", ...headers } })
        )
      }),
    options
  )
  return { ...made, seen }
}

export const data = (...all: ReadonlyArray<unknown>): string =>
  all.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("")

/** The events, and the error after them. */
export const collect = <E, R>(stream: Stream.Stream<Event, E, R>) =>
  Effect.gen(function* () {
    const taken: Array<Event> = []
    const exit = yield* Effect.exit(Stream.runForEach(stream, (event) => Effect.sync(() => taken.push(event))))
    const reason = exit._tag === "Failure" ? exit.cause.reasons[0] : undefined
    return { taken, error: reason?._tag === "Fail" ? reason.error : undefined, exit: exit._tag }
  })

export const choice = (content: string, index = 0) => ({ choices: [{ index, delta: { content } }] })
