import { describe, expect, it } from "@effect/vitest"
import { CallAborted, chatCompletions, OutcomeUnknown, withBudget } from "@tollgate/client"
import {
  AnswerTruncated,
  BudgetSpent,
  ModelCallFailed,
  runTools,
  StepLimitReached,
  tool,
  toolSteps
} from "@tollgate/client/runTools"
import { fail, type ScriptedGateway, scriptedGateway, testClient } from "@tollgate/client/testing"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { chat } from "./modelAnswers.ts"
import { answers, asks, City, loop, micros, on, paris, weather } from "./runToolsScripted.ts"

describe("the budget is over the whole loop", () => {
  const caps = (gateway: ScriptedGateway) =>
    gateway.calls(chatCompletions).map(({ headers }) => headers["x-tollgate-max-price-usd"])

  it.effect("each call is capped with what is left", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks(paris), asks(paris), answers)
    return Effect.gen(function* () {
      yield* loop([weather], { budget: "0.20" })
      expect(caps(gateway)).toEqual(["0.2", "0.19", "0.18"])
    }).pipe(on(gateway))
  })

  it.effect("a call that could exceed it is not made, and the error has all steps", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks(paris), asks(paris), answers)
    return Effect.gen(function* () {
      const error = yield* Effect.flip(loop([weather], { budget: "0.065" }))
      if (!(error instanceof BudgetSpent)) throw error
      expect([error.steps.length, micros(error), gateway.charged]).toEqual([2, 20_000, "0.020000"])
      expect(error).toMatchObject({ resume: { options: { budget: "0.045" } }, cause: { _tag: "OverBudget" } })
      const { input, options } = error.resume
      const more = yield* runTools(chatCompletions, [weather], input as typeof chat.input, { ...options, budget: "1" })
      expect(more.text).toBe("It is warm")
      gateway.check()
    }).pipe(on(gateway))
  })

  it.effect("a budget around the loop ends it in the same way", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks(paris))
    return Effect.gen(function* () {
      const error = yield* Effect.flip(withBudget("0.055")(loop([weather])))
      expect(error).toMatchObject({ _tag: "BudgetSpent", steps: [{ number: 1 }], cause: { _tag: "BudgetExceeded" } })
    }).pipe(on(gateway))
  })

  it.effect("a maxPrice that is no amount is refused beside it", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, answers)
    return Effect.gen(function* () {
      const error = yield* Effect.flip(loop([weather], { budget: "1", maxPrice: "$0.01" }))
      expect([error, gateway.requests]).toMatchObject([{ cause: { _tag: "InputInvalid" } }, []])
    }).pipe(on(gateway))
  })

  it.effect("a loop with a key of its own goes on under a key of its own", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks(paris), asks(paris), answers)
    return Effect.gen(function* () {
      const given = { idempotencyKey: "mine", maxSteps: 2 }
      const error = yield* Effect.flip(loop([weather], given))
      if (!(error instanceof StepLimitReached)) throw error
      const { input, options } = error.resume
      const more = yield* runTools(chatCompletions, [weather], input as typeof chat.input, { ...given, ...options })
      expect(more.text).toBe("It is warm")
      expect(gateway.calls(chatCompletions).map((call) => call.idempotencyKey)).toEqual(["mine", "mine.2", "mine.3"])
    }).pipe(on(gateway))
  })

  it.effect("the client's maxPrice caps each call too", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks(paris), answers)
    return Effect.gen(function* () {
      yield* loop([weather], { budget: "1" })
      expect(caps(gateway)).toEqual(["0.06", "0.06"])
    }).pipe(Effect.provide(gateway.layer({ maxPrice: "0.06" })))
  })

  it.effect("maxPrice caps each call, and is no budget", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks(paris), answers)
    return Effect.gen(function* () {
      yield* loop([weather], { maxPrice: "0.06", budget: "1" })
      expect(caps(gateway)).toEqual(["0.06", "0.06"])
      const error = yield* Effect.flip(loop([weather], { maxPrice: "0.01" }))
      expect(error).toMatchObject({ _tag: "ModelCallFailed", cause: { _tag: "OverBudget" } })
      expect((yield* Effect.flip(loop([weather], { budget: "a lot" })))._tag).toBe("InputInvalid")
    }).pipe(on(gateway))
  })
})

describe("other ends", () => {
  it.effect("the step limit: an error with all steps, and with the results of the last tools", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks(paris), asks(paris), answers)
    return Effect.gen(function* () {
      const error = yield* Effect.flip(loop([weather], { maxSteps: 2 }))
      if (!(error instanceof StepLimitReached)) throw error
      expect(error.steps.map(({ number, uses }) => [number, uses.length])).toEqual([
        [1, 1],
        [2, 1]
      ])
      expect((yield* runTools(chatCompletions, [weather], error.resume.input as typeof chat.input)).text).toBe(
        "It is warm"
      )
    }).pipe(on(gateway))
  })

  it.effect("an answer that is cut off while it asks for tools runs none of them", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, { ...asks(paris), finish: "length" })
    return Effect.gen(function* () {
      const error = yield* Effect.flip(loop([tool({ name: "weather", schema: City, run: () => Effect.die("ran") })]))
      expect(error).toBeInstanceOf(AnswerTruncated)
      expect(error).toMatchObject({ steps: [{ number: 1, uses: [] }] })
    }).pipe(on(gateway))
  })

  it.effect("a text that is cut off is the answer, and says so", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, { text: "It is", finish: "length" })
    return Effect.gen(function* () {
      expect(yield* loop([weather])).toMatchObject({ text: "It is", finish: "length" })
    }).pipe(on(gateway))
  })

  it.effect("a call that fails: the error has the cause and the steps before", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks(paris), fail("invalid_request"))
    return Effect.gen(function* () {
      const error = yield* Effect.flip(loop([weather]))
      if (!(error instanceof ModelCallFailed)) throw error
      expect(error).toMatchObject({ cause: { _tag: "InvalidRequest" }, steps: [{ number: 1 }] })
      expect([error.charge.state, micros(error)]).toEqual(["settled", 10_000])
    }).pipe(on(gateway))
  })

  it.effect("two tools of one name, or a tool without JSON Schema: nothing is sent", () => {
    const gateway = scriptedGateway()
    const bare = { "~standard": { version: 1, vendor: "none", validate: (value: unknown) => ({ value }) } } as const
    return Effect.gen(function* () {
      expect(yield* Effect.flip(loop([weather, weather]))).toMatchObject({ _tag: "InputInvalid" })
      const error = yield* Effect.flip(loop([tool({ name: "x", schema: bare, run: () => "" })]))
      expect(error).toMatchObject({ _tag: "InputInvalid", message: expect.stringContaining("jsonSchema") })
      expect(gateway.requests).toEqual([])
    }).pipe(on(gateway))
  })
})

describe("idempotency keys", () => {
  it.effect("each call has its own", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks(paris), answers, asks(paris), answers)
    return Effect.gen(function* () {
      yield* loop([weather])
      yield* loop([weather], { idempotencyKey: "job" })
      const keys = gateway.calls(chatCompletions).map(({ idempotencyKey }) => idempotencyKey)
      expect(new Set(keys).size).toBe(4)
      expect(keys.slice(2)).toEqual(["job", "job.2"])
    }).pipe(on(gateway))
  })

  it("an unknown outcome ends the loop, and resuming gets the stored answer without paying again", async () => {
    const { client, clock, gateway } = testClient({ retry: { retries: 0 } })
    clock.auto()
    chat.answer(gateway, asks(paris), { ...answers, lost: true })
    const error = await runTools(client.chatCompletions, [weather], chat.input, { budget: "0.20" }).catch(
      (e: unknown) => e
    )
    if (!(error instanceof ModelCallFailed)) throw error
    expect(error.cause).toBeInstanceOf(OutcomeUnknown)
    const { input, options } = error.resume
    expect(options).toEqual({ budget: "0.19", idempotencyKey: gateway.calls(chatCompletions)[1]?.idempotencyKey })
    // As another process would: the state is plain JSON.
    const stored = JSON.parse(JSON.stringify(input)) as typeof chat.input
    const result = await runTools(client.chatCompletions, [weather], stored, options)
    expect(result.text).toBe("It is warm")
    expect(gateway.charged).toBe("0.030000")
    gateway.check()
  })
})

describe("steps as they are made", () => {
  it.effect("a stream with what each one cost; the last one is the answer", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks(paris), answers)
    return Effect.gen(function* () {
      const seen: Array<unknown> = []
      yield* Stream.runForEach(toolSteps(chatCompletions, [weather], chat.input), (step) =>
        Effect.sync(() => seen.push([step.number, micros(step), step.text, gateway.calls(chatCompletions).length]))
      )
      expect(seen).toEqual([
        [1, 10_000, "", 1],
        [2, 20_000, "It is warm", 2]
      ])
    }).pipe(on(gateway))
  })

  it("an async iterable; leaving it makes no further call", async () => {
    const { client, gateway } = testClient()
    chat.answer(gateway, asks(paris), answers, asks(paris))
    const texts: Array<string> = []
    for await (const { text } of toolSteps(client.chatCompletions, [weather], chat.input)) texts.push(text)
    expect(texts).toEqual(["", "It is warm"])
    for await (const _ of toolSteps(client.chatCompletions, [weather], chat.input)) break
    expect(gateway.calls(chatCompletions)).toHaveLength(3)
  })
})

describe("interruption stops handlers", () => {
  it.effect("that are effects", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks(paris))
    return Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      const slow = tool({
        name: "weather",
        schema: City,
        run: () =>
          Deferred.succeed(started, undefined).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
          )
      })
      const fiber = yield* Effect.forkChild(loop([slow]))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(stopped)
    }).pipe(on(gateway))
  })

  /** A loop that is aborted, and what it left. */
  const abortedAt = async (step: "call" | "tool" | "start", budget = "0.20") => {
    const { client, gateway } = testClient()
    const controller = new AbortController()
    let runs = 0
    const slow = tool({
      name: "weather",
      schema: City,
      run: async () => {
        if (++runs === 2 && step === "tool") {
          controller.abort()
          await new Promise(() => {})
        }
        return "warm"
      }
    })
    chat.answer(gateway, asks(paris), { ...asks(paris), lost: step === "call" }, answers)
    if (step === "start") controller.abort()
    const run = runTools(client.chatCompletions, [slow], chat.input, { signal: controller.signal, budget })
    const failed = run.catch((error: unknown) => error)
    if (step === "call") {
      while (gateway.calls(chatCompletions).length < 2) await new Promise((resolve) => setImmediate(resolve))
      controller.abort()
    }
    const error = await failed
    if (!(error instanceof CallAborted)) throw error
    const go = () =>
      runTools(client.chatCompletions, [slow], error.resume?.input as typeof chat.input, error.resume?.options)
    return { error, gateway, go }
  }

  it("and keeps the steps that were paid for, while tools run: the paid answer comes again, and is not paid again", async () => {
    const { error, gateway, go } = await abortedAt("tool")
    const [, second] = gateway.calls(chatCompletions)
    expect(error.steps?.map(({ number }) => number)).toEqual([1, 2])
    expect(error).toMatchObject({ outcome: "executed", charge: { state: "settled", micros: 20_000 } })
    expect(error.resume?.options).toEqual({ budget: "0.19", idempotencyKey: second?.idempotencyKey })
    expect(JSON.stringify(error) + String(error)).not.toContain("Paris")
    expect((await go()).text).toBe("It is warm")
    expect(gateway.charged).toBe("0.040000")
    gateway.check()
  })

  it("and keeps them during a call, which may have run", async () => {
    const { error, gateway, go } = await abortedAt("call")
    const { idempotencyKey } = gateway.calls(chatCompletions)[1]!
    expect(error.steps?.map(({ number }) => number)).toEqual([1])
    expect(error).toMatchObject({ outcome: "unknown", idempotencyKey, charge: { state: "unknown", micros: 10_000 } })
    expect(error.resume?.options).toEqual({ budget: "0.19", idempotencyKey })
    expect((await go()).text).toBe("It is warm")
    expect(gateway.charged).toBe("0.040000")
    gateway.check()
  })

  it("and has nothing to keep before the first call", async () => {
    const { error, gateway } = await abortedAt("start")
    expect(error).toMatchObject({ outcome: "not executed", charge: { state: "none" } })
    expect([error.steps, gateway.requests]).toEqual([[], []])
  })

  it("that are async functions, by their signal", async () => {
    const { client, gateway } = testClient()
    chat.answer(gateway, asks(paris))
    const controller = new AbortController()
    let isStopped = false
    const slow = tool({
      name: "weather",
      schema: City,
      run: (_, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => void (isStopped = true))
          controller.abort(new Error("left"))
        })
    })
    const run = runTools(client.chatCompletions, [slow], chat.input, { signal: controller.signal })
    await expect(run).rejects.toThrow()
    expect(isStopped).toBe(true)
  })
})
