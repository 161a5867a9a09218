import { describe, expect, it } from "@effect/vitest"
import { BudgetExceeded, chatCompletionsStream, chatCompletions, Policy, rerank, withBudget } from "@tollgate/client"
import { budget, type BudgetReport, wait } from "@tollgate/client/budget"
import { hang, later, noJitter, reply, reset, says, scriptedGateway, testClient } from "@tollgate/client/testing"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { question, ranking } from "./scripted.ts"

const waiting = (usd: string) => withBudget(usd, { wait })

const microsOf = (report: BudgetReport | undefined) => ({
  spent: report?.spent.micros,
  reserved: report?.reserved.micros,
  left: report?.left.micros
})

/** Each call can cost 0.00004 USD and costs 0.00001 after a second. */
const slow = () =>
  scriptedGateway()
    .price(rerank, "0.00004")
    .on(rerank, later("1 second", reply(ranking, { cost: "0.00001" })))

const tagOf = Effect.match({
  onSuccess: () => "done",
  onFailure: (error: { readonly _tag: string }) => error._tag
})

const many = (calls: number) =>
  Effect.all(
    Array.from({ length: calls }, () => tagOf(rerank(question))),
    { concurrency: "unbounded" }
  )

const counted = (tags: ReadonlyArray<string>) => ({
  done: tags.filter((tag) => tag === "done").length,
  refused: tags.filter((tag) => tag === "BudgetExceeded").length
})

/** Runs a program with time passing. */
const run = <A, E>(program: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program)
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

const on = (gateway: ReturnType<typeof slow>) => Effect.provide([gateway.layer({ pace: false }), noJitter])

describe("a budget can be read", () => {
  it.effect("what it has spent, reserved and left, before, during and after a call", () => {
    const gateway = slow()
    return run(
      Effect.gen(function* () {
        expect(microsOf(yield* budget())).toEqual({ spent: 0, reserved: 0, left: 100 })
        const call = yield* Effect.forkChild(rerank(question))
        yield* Effect.sleep("500 millis")
        expect(microsOf(yield* budget())).toEqual({ spent: 0, reserved: 40, left: 60 })
        yield* Fiber.join(call)
        expect(microsOf(yield* budget())).toEqual({ spent: 10, reserved: 0, left: 90 })
      }).pipe(withBudget("0.0001"), on(gateway))
    )
  })

  it.effect("a call whose cost is unknown stays reserved", () => {
    const gateway = scriptedGateway().price(rerank, "0.00004").on(rerank, reset())
    return run(
      Effect.gen(function* () {
        yield* Effect.flip(rerank(question, { retries: 0 }))
        expect(microsOf(yield* budget())).toEqual({ spent: 0, reserved: 40, left: 60 })
      }).pipe(withBudget("0.0001"), on(gateway))
    )
  })

  it.effect("the innermost, with what all of them leave", () => {
    const gateway = slow()
    return run(
      Effect.gen(function* () {
        yield* rerank(question)
        const inner = yield* Effect.flatMap(rerank(question), () => budget()).pipe(withBudget("0.001"))
        expect(microsOf(inner)).toEqual({ spent: 10, reserved: 0, left: 80 })
      }).pipe(withBudget("0.0001"), on(gateway))
    )
  })

  it("with promises", async () => {
    const { client, clock, gateway } = testClient({ pace: false })
    clock.auto()
    gateway.price(rerank, "0.00004").on(rerank, reply(ranking, { cost: "0.00001" }))
    const careful = client.withBudget("0.0000505", { wait })
    await careful.rerank(question)
    const report: BudgetReport | undefined = await budget(careful)
    expect([await budget(client), report]).toEqual([
      undefined,
      { spent: { usd: "0.00001", micros: 10 }, reserved: { usd: "0", micros: 0 }, left: { usd: "0.00004", micros: 40 } }
    ])
    await client.close()
  })
})

describe("calls under one budget", () => {
  it.effect("fail at once if others have reserved it", () =>
    Effect.map(run(many(20).pipe(withBudget("0.0002"), on(slow()))), (tags) =>
      expect(counted(tags)).toEqual({ done: 5, refused: 15 })
    )
  )

  it.effect("wait for each other if asked to, until it can pay no more", () => {
    const gateway = slow()
    return Effect.map(run(many(20).pipe(waiting("0.0002"), on(gateway))), (tags) => {
      // 17 leave 0.00003, which is less than a call can cost.
      expect(counted(tags)).toEqual({ done: 17, refused: 3 })
      expect(gateway.charged).toBe("0.000170")
    })
  })

  it.effect("go on in the order in which they came, so that a large one is not overtaken forever", () => {
    const order: Array<string> = []
    const gateway = slow()
      .price(chatCompletions, "0.00008")
      .on(chatCompletions, later("1 second", reply({ choices: [] }, { cost: "0" })))
    const small = Effect.map(rerank(question), () => order.push("small"))
    const large = Effect.map(chatCompletions({ model: "m", messages: [] }), () => order.push("large"))
    return run(
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(small)
        yield* Effect.sleep("100 millis")
        const second = yield* Effect.forkChild(large)
        yield* Effect.sleep("100 millis")
        const third = yield* Effect.forkChild(small)
        for (const fiber of [first, second, third]) yield* Fiber.join(fiber)
        expect(order).toEqual(["small", "large", "small"])
      }).pipe(waiting("0.0001"), on(gateway))
    )
  })

  it.effect("do not wait for what can never be: more than the budget, or a call whose cost stays unknown", () => {
    const gateway = scriptedGateway().price(rerank, "0.00004").on(rerank, later("1 second", reset()))
    return run(
      Effect.gen(function* () {
        expect((yield* Effect.flip(rerank(question).pipe(waiting("0.00003"))))._tag).toBe("BudgetExceeded")
        const first = yield* Effect.forkChild(Effect.flip(rerank(question, { retries: 0 })))
        yield* Effect.sleep("100 millis")
        const second = yield* Effect.flip(rerank(question))
        expect(second).toMatchObject({ _tag: "BudgetExceeded", left: { usd: "0.00001" } })
        expect((yield* Fiber.join(first))._tag).toBe("OutcomeUnknown")
      }).pipe(waiting("0.00005"), on(gateway))
    )
  })

  it.effect("wait no longer than their timeout, and a call that is interrupted lets the others go on", () => {
    const gateway = scriptedGateway().price(rerank, "0.00004").on(rerank, hang())
    return run(
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(rerank(question))
        yield* Effect.sleep("100 millis")
        expect(yield* Effect.flip(rerank(question, { timeout: "5 seconds" }))).toBeInstanceOf(BudgetExceeded)
        const second = yield* Effect.forkChild(Effect.flip(rerank(question)))
        yield* Effect.sleep("100 millis")
        // The gateway does not know its end, so it costs nothing.
        yield* Fiber.interrupt(first)
        expect((yield* Fiber.join(second))._tag).toBe("OutcomeUnknown")
        yield* Effect.sleep("1 second")
        expect(microsOf(yield* budget())).toEqual({ spent: 0, reserved: 0, left: 50 })
      }).pipe(waiting("0.00005"), on(gateway))
    )
  })

  it.effect("a stream that is left no longer makes others wait", () => {
    const gateway = slow()
      .price(chatCompletions, "0.00004")
      .on(chatCompletions, says(["a", "b"], { every: "1 second", end: "hang" }))
    return run(
      Effect.gen(function* () {
        yield* Stream.runDrain(Stream.take(chatCompletionsStream({ model: "m", messages: [] }), 1))
        expect(microsOf(yield* budget())).toEqual({ spent: 0, reserved: 40, left: 60 })
        expect(counted(yield* many(3))).toEqual({ done: 3, refused: 0 })
      }).pipe(waiting("0.0001"), on(gateway))
    )
  })

  it.effect("nested: a call waits for both, and one that waits for the inner one stops nobody outside", () => {
    const order: Array<string> = []
    const call = (name: string) => Effect.map(rerank(question), () => order.push(name))
    return run(
      Effect.gen(function* () {
        const inner = yield* Effect.forkChild(
          Effect.all([call("inner 1"), call("inner 2")], { concurrency: "unbounded" }).pipe(waiting("0.00005"))
        )
        yield* Effect.sleep("100 millis")
        yield* call("outer")
        yield* Fiber.join(inner)
        expect(order).toEqual(["inner 1", "outer", "inner 2"])
        expect(microsOf(yield* budget())).toEqual({ spent: 30, reserved: 0, left: 70 })
      }).pipe(waiting("0.0001"), on(slow()))
    )
  })
})

it("whatever calls cost and however they end, a budget is kept, nobody waits forever, and all add up", async () => {
  const ends = fc.record({
    millis: fc.integer({ min: 0, max: 50 }),
    cost: fc.integer({ min: 0, max: 40 }),
    end: fc.constantFrom("answer", "reset", "interrupt")
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(ends, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 200 }),
      async (all, usd) => {
        let next = 0
        const gateway = scriptedGateway().price(rerank, "0.00004")
        gateway.on(rerank, () => {
          const { cost, end, millis } = all[next++ % all.length]!
          const answer = reply(ranking, { cost: (cost / 1_000_000).toFixed(6) })
          return later(millis, end === "reset" ? reset(answer) : answer)
        })
        const calls = all.map(({ end, millis }) => {
          const made = tagOf(rerank(question))
          return end === "interrupt"
            ? Effect.timeoutOrElse(made, { duration: millis + 1, orElse: () => Effect.succeed("left") })
            : made
        })
        const program = Effect.andThen(Effect.all(calls, { concurrency: "unbounded" }), budget()).pipe(
          waiting((usd / 1_000_000).toFixed(6)),
          Effect.provide([gateway.layer({ pace: false, retry: Policy.none }), noJitter])
        )
        const report = await Effect.runPromise(Effect.provide(run(program), TestClock.layer()))
        const { left = 0, reserved = 0, spent = 0 } = microsOf(report)
        expect(spent + reserved + left).toBe(usd)
        expect(Number(gateway.charged)).toBeLessThanOrEqual(usd / 1_000_000 + 1e-12)
      }
    ),
    { numRuns: 50 }
  )
})
