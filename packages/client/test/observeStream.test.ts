import { describe, expect, it } from "@effect/vitest"
import { chatCompletionsStream, type Client, responsesStream } from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { refusal } from "./attempts.ts"
import { attributesOf, endOf, eventsOf, recorder, tracer } from "./observeTracer.ts"
import { scripted } from "./scripted.ts"
import { choice, data, events, hang } from "./streamScripted.ts"

const ask = chatCompletionsStream({ model: "m", messages: [] })
const used = { model: "m-1", choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } }
const cost = ": cost_micros_usd=120 cost_state=settled\n\n"

/** Reads one stream and returns what the observer recorded. */
const observedEnd = Effect.fnUntraced(function* (
  made: { readonly layer: Layer.Layer<Client> },
  read: (stream: typeof ask) => Effect.Effect<unknown, unknown, Client>
) {
  const { ended, layer } = recorder()
  yield* Effect.exit(Effect.provide(read(ask), Layer.merge(made.layer, layer)))
  expect(ended).toHaveLength(1)
  return ended[0]!
})

describe("the span of a stream", () => {
  it.effect("lasts until the last event and has usage and cost", () =>
    Effect.gen(function* () {
      const { made, observed } = tracer()
      const headers = { "x-request-id": "req_s" }
      const { layer } = events([data(choice("a"), choice("b")), data(used, "[DONE]") + cost], {}, headers)
      const open: Array<string | undefined> = []
      yield* Stream.runForEach(ask, () => Effect.sync(() => open.push(endOf(made[0])))).pipe(
        Effect.provide(layer),
        Effect.provide(observed())
      )
      expect(open).toEqual(["not ended", "not ended", "not ended"])
      expect([made.length, made[0]?.name, made[0]?.kind, endOf(made[0])]).toEqual([1, "chat m", "client", "success"])
      expect(attributesOf(made[0])).toMatchObject({
        "gen_ai.response.model": "m-1",
        "gen_ai.usage.input_tokens": 3,
        "gen_ai.usage.output_tokens": 4,
        "http.response.status_code": 200,
        "tollgate.mode": "stream",
        "tollgate.result": "success",
        "tollgate.request.id": "req_s",
        "tollgate.attempts": 1,
        "tollgate.stream.events": 3,
        "tollgate.cost.state": "settled",
        "tollgate.charge": 120
      })
      expect(eventsOf(made[0])).toHaveLength(1)
    })
  )
})

describe("a stream", () => {
  it.effect("of Responses has the model and the tokens of its last event", () =>
    Effect.gen(function* () {
      const usage = { input_tokens: 3, output_tokens: 4, input_tokens_details: { cached_tokens: 1 } }
      const { layer } = events([data({ type: "response.completed", response: { model: "m-1", usage } })])
      const { ended, layer: recording } = recorder()
      yield* Stream.runDrain(responsesStream({ model: "m", input: "Who?" })).pipe(
        Effect.provide(Layer.merge(layer, recording))
      )
      expect(ended).toMatchObject([{ responseModel: "m-1", usage: { input: 2, output: 4, cacheRead: 1 } }])
    })
  )

  it.effect("that breaks counts as failed", () =>
    Effect.gen(function* () {
      const call = yield* observedEnd(events([data(choice("a"))]), Stream.runDrain)
      expect(call).toMatchObject({
        result: "failed",
        failed: { type: "StreamTruncated", outcome: "executed" },
        events: 1
      })
    })
  )

  it.effect("counts as failed even if the reader handles the error", () =>
    Effect.gen(function* () {
      const handled = (stream: typeof ask) => Stream.runDrain(Stream.catch(stream, () => Stream.empty))
      const refused = yield* observedEnd(scripted(refusal(402, "insufficient_balance")), handled)
      expect(refused).toMatchObject({ result: "failed", status: 402, attempts: 1, failed: { type: "OverBudget" } })
      expect(yield* observedEnd(events([data(choice("a"))]), handled)).toMatchObject({ result: "failed" })
    })
  )

  it.effect("counts as left if the reader stops or fails itself", () =>
    Effect.gen(function* () {
      const steps = [data(choice("a")), hang]
      const left = yield* observedEnd(events(steps), (stream) => Stream.runDrain(Stream.take(stream, 1)))
      expect(left).toMatchObject({ result: "left", failed: undefined, events: 1, charge: { state: "unknown" } })
      const own = yield* observedEnd(events(steps), (stream) =>
        Stream.runForEach(stream, () => Effect.fail({ _tag: "Mine" }))
      )
      expect(own).toMatchObject({ result: "left", failed: undefined })
    })
  )

  it.effect("counts as a success if the reader stops after the complete answer", () =>
    Effect.gen(function* () {
      const { ended, layer } = recorder()
      const whole = events([data(choice("a"), "[DONE]"), hang])
      yield* Stream.runDrain(Stream.take(ask, 1)).pipe(Effect.provide(Layer.merge(whole.layer, layer)))
      expect(ended).toMatchObject([{ result: "success" }])
    })
  )

  /** Interrupts the stream while it hangs after its first event. */
  const interrupted = Effect.fnUntraced(function* (...steps: ReadonlyArray<string>) {
    const { ended, layer } = recorder()
    const { layer: client } = events([...steps, hang])
    let taken = 0
    const reading = Stream.runForEach(ask, () => Effect.sync(() => taken++))
    const fiber = yield* Effect.forkChild(reading.pipe(Effect.provide(Layer.merge(client, layer))))
    const nextIteration = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    while (taken === 0) yield* nextIteration
    yield* nextIteration
    yield* Fiber.interrupt(fiber)
    return ended
  })

  it.effect("that is interrupted ends once, and successfully if the answer was complete", () =>
    Effect.gen(function* () {
      expect(yield* interrupted(data(choice("a")))).toMatchObject([
        { result: "failed", failed: { type: "interrupted", outcome: "executed" } }
      ])
      expect(yield* interrupted(data(choice("a"), "[DONE]"))).toMatchObject([{ result: "success" }])
    })
  )
})
