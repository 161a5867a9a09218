import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"
import { httpUpstream } from "../upstream.ts"

/** An upstream that answers when the test says so: the test knows which calls are in flight, on any machine. */
export const pausedUpstream = Effect.gen(function* () {
  const held: Array<ServerResponse> = []
  const upstream = yield* httpUpstream((res) => void held.push(res))
  return {
    port: upstream.port,
    received: upstream.received,
    /** Waits until this many calls have arrived in all. */
    arrived: (count: number) => until(() => upstream.received.length >= count),
    /** Answers what is held. */
    answer: (send: (res: ServerResponse) => void) =>
      Effect.sync(() => {
        const answered = held.splice(0)
        for (const res of answered) send(res)
        return answered
      })
  }
})

/** Waits for something that happens elsewhere. Its caller's own time limit bounds it. */
export const until = (predicate: () => boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (!predicate()) yield* Effect.sleep("2 millis")
  })

const json = { "content-type": "application/json" }

/** A completion that bills this many tokens in and out. */
export const completion =
  (input: number, output: number) =>
  (res: ServerResponse): void =>
    void res.writeHead(200, json).end(
      JSON.stringify({
        id: "c1",
        object: "chat.completion",
        created: 1,
        model: "sandbox",
        choices: [{ index: 0, message: { role: "assistant", content: "Because." }, finish_reason: "stop" }],
        usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
      })
    )
