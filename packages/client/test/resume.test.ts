import { describe, expect, it } from "@effect/vitest"
import {
  chatCompletions,
  chatCompletionsStream,
  type Client,
  OutcomeUnknown,
  resume,
  rerank,
  textOf,
  videoCreate,
  withBudget,
  withMaxPrice
} from "@tollgate/client"
import {
  fail,
  later,
  noJitter,
  raw,
  reply,
  reset,
  says,
  scriptedGateway,
  type ScriptedGateway,
  sequence,
  type Step
} from "@tollgate/client/testing"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { inOrder } from "./attempts.ts"
import { json, question, ranking, respond, scripted } from "./scripted.ts"
import { task } from "./videoScripted.ts"

const chat = { model: "any", messages: [{ role: "user" as const, content: "Hello" }] }
const ranked = reply(ranking, { cost: "0.00003" })
const lost = reset(ranked)
const page = { "content-type": "text/html" }

/** Runs a program on the gateway's client, with time passing. */
const run = <A, E>(gateway: ScriptedGateway, program: Effect.Effect<A, E, Client>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program.pipe(Effect.provide([gateway.layer(), noJitter])))
    yield* TestClock.adjust("1 day")
    return yield* Fiber.join(fiber)
  })

const unknownOf = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(call), (error) => {
    if (!(error instanceof OutcomeUnknown)) throw error
    return error
  })

const text = <E, R>(stream: Stream.Stream<Readonly<Record<string, unknown>>, E, R>) =>
  Stream.runFold(
    stream,
    () => "",
    (all, event) => all + textOf(event)
  )

describe("resume", () => {
  it.effect("returns the stored answer of a call whose answers were lost, and pays once", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(rerank, sequence(lost))
      const program = Effect.gen(function* () {
        const error = yield* unknownOf(rerank(question, { retries: 0, maxPrice: "0.01" }))
        return yield* resume(rerank, error)
      })
      expect(yield* run(gateway, program)).toEqual(ranking)
      const [first, second] = gateway.calls(rerank)
      expect(second?.idempotencyKey).toBe(first?.idempotencyKey)
      expect(second?.headers["x-tollgate-max-price-usd"]).toBe("0.01")
      expect(gateway.charged).toBe("0.000030")
    })
  )

  it.effect("makes the call if it never ran", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(rerank, sequence(reset(), ranked))
      const program = Effect.flatMap(unknownOf(rerank(question, { retries: 0 })), (error) => resume(rerank, error))
      expect(yield* run(gateway, program)).toEqual(ranking)
      expect(gateway.charged).toBe("0.000030")
    })
  )

  it.effect("sends the same headers and fields as the call", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(rerank, sequence(lost))
      const call = rerank(question, { retries: 0, headers: { "x-team": "rivers" }, extra: { seed: 7 } })
      yield* run(
        gateway,
        Effect.flatMap(unknownOf(call), (error) => resume(rerank, error))
      )
      const [first, second] = gateway.calls(rerank)
      expect([second?.input, second?.headers["x-team"]]).toEqual([first?.input, "rivers"])
    })
  )

  it.effect("may itself end unknown, and can be repeated", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(videoCreate, sequence(reset(task("PENDING"))))
      const program = Effect.gen(function* () {
        const first = yield* unknownOf(videoCreate({ model: "any", input: { prompt: "p" } }))
        const second = yield* unknownOf(resume(videoCreate, first, { timeout: 0 }))
        return yield* resume(videoCreate, second)
      })
      expect(yield* run(gateway, program)).toMatchObject({ output: { task_id: "task_1" } })
    })
  )

  it.effect("does not take a refusal for the outcome", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(rerank, sequence(reset(), fail("quota_exceeded"), ranked))
      const program = Effect.gen(function* () {
        const first = yield* unknownOf(rerank(question, { retries: 0 }))
        const second = yield* unknownOf(resume(rerank, first))
        expect(second).toMatchObject({ code: "quota_exceeded", idempotencyKey: first.idempotencyKey })
        return yield* resume(rerank, second)
      })
      expect(yield* run(gateway, program)).toEqual(ranking)
    })
  )

  it.effect("refuses errors that are not of this function's calls, and says what to do instead", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(rerank, sequence(lost))
      const program = Effect.gen(function* () {
        const error = yield* unknownOf(rerank(question, { retries: 0 }))
        const elsewhere = new OutcomeUnknown({ ...error, message: error.message, cause: error.cause })
        return yield* Effect.all([
          Effect.flip(resume(rerank, elsewhere)),
          Effect.flip(resume(chatCompletions, error)),
          Effect.flip(text(resume(chatCompletionsStream, error)))
        ])
      })
      for (const error of yield* run(gateway, program)) {
        expect(error).toMatchObject({ _tag: "InputInvalid", outcome: "not executed" })
        expect(error.message).toContain("idempotencyKey")
      }
      expect(gateway.requests).toHaveLength(1)
    })
  )

  it.effect.each([
    ["an undeclared status", respond(418, "{}", json), "UnexpectedStatus", "unknown"],
    ["a redirect", respond(302, "", { location: "/elsewhere" }), "UnexpectedStatus", "unknown"],
    ["half of the answer", respond(200, `{"model":`, json), "AnswerInvalid", "executed"],
    ["a page of a proxy", respond(200, "<html>", page), "AnswerInvalid", "unknown"],
    ["a refusal by a proxy", respond(403, "<html>", page), "UnexpectedStatus", "unknown"],
    ["a failure that costs nothing", respond(500, "", { "x-tollgate-cost-state": "none" }), "ServerFault", "unknown"]
  ] as const)("goes on after %s", ([, first, tag, outcome]) =>
    Effect.gen(function* () {
      const { layer, sent } = scripted(inOrder(first, respond(200, JSON.stringify(ranking), json)))
      const program = Effect.flatMap(Effect.flip(rerank(question)), (error) =>
        Effect.map(resume(rerank, error), (answer) => ({ error, answer }))
      )
      const { answer, error } = yield* Effect.provide(program, layer)
      const keys = sent.map(({ request }) => request.headers["idempotency-key"])
      expect(error).toMatchObject({ _tag: tag, outcome, idempotencyKey: keys[0] })
      expect([answer, keys[1]]).toEqual([ranking, keys[0]])
    })
  )

  it.effect.each([
    ["its own page", respond(403, "<html>", { ...page, "x-request-id": "req_1" })],
    ["its own page, with the cost", respond(403, "<html>", { ...page, "x-tollgate-cost-state": "none" })],
    ["JSON", respond(403, "{}", json)]
  ] as const)("is not needed after a refusal by the gateway: %s", ([, refusal]) =>
    Effect.gen(function* () {
      const { layer, sent } = scripted(refusal)
      const program = Effect.flatMap(Effect.flip(rerank(question)), (error) =>
        Effect.map(Effect.flip(resume(rerank, error)), (refused) => ({ error, refused }))
      )
      const { error, refused } = yield* Effect.provide(program, layer)
      expect(error).not.toHaveProperty("idempotencyKey")
      expect(error.outcome).toBe("not executed")
      expect(refused.message).toBe(
        `Nothing was charged, so there is nothing to resume. Call again, unless it would fail again with: ${error.message}`
      )
      expect(sent).toHaveLength(1)
    })
  )

  it.effect("is not advised again if the gateway does not know the end, and the cost is told", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(
        rerank,
        sequence(reset(), fail("idempotency_unknown", { message: "Who knows." }))
      )
      const program = Effect.gen(function* () {
        const first = yield* unknownOf(rerank(question, { retries: 0 }))
        expect(first.message).toContain("`resume` asks for its outcome")
        return yield* unknownOf(resume(rerank, first))
      })
      expect(yield* run(gateway, program)).toMatchObject({
        code: "idempotency_unknown",
        message: "Who knows. (it costs nothing, unless the gateway still learns how it ended)"
      })
    })
  )

  it.effect("shows neither input nor options on the error", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(rerank, sequence(lost))
      const error = yield* run(gateway, unknownOf(rerank({ ...question, query: "a secret" }, { retries: 0 })))
      expect(JSON.stringify(error) + String(error) + Object.keys(error).join()).not.toContain("a secret")
    })
  )
})

describe("resume of a stream", () => {
  const hello = says(["Hel", "lo"], { cost: "0.001" })

  it.effect("streams if it never ran", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(chatCompletions, sequence(reset(), hello))
      const program = Effect.flatMap(unknownOf(text(chatCompletionsStream(chat))), (error) =>
        text(resume(chatCompletionsStream, error))
      )
      expect(yield* run(gateway, program)).toBe("Hello")
      expect(gateway.charged).toBe("0.001000")
    })
  )

  it.effect("says that it ran, and is not paid again", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(
        chatCompletions,
        sequence(reset(reply({ id: "x", choices: [] }, { cost: "0.001" })))
      )
      const program = Effect.flatMap(unknownOf(text(chatCompletionsStream(chat))), (error) =>
        Effect.flip(text(resume(chatCompletionsStream, error)))
      )
      expect(yield* run(gateway, program)).toMatchObject({ _tag: "AnswerInvalid", outcome: "executed" })
      expect(gateway.charged).toBe("0.001000")
    })
  )

  it.effect("waits while the first one is in flight", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(
        chatCompletions,
        sequence(fail("idempotency_in_flight"), fail("idempotency_in_flight"), hello)
      )
      const program = Effect.flatMap(unknownOf(text(chatCompletionsStream(chat))), (error) =>
        text(resume(chatCompletionsStream, error))
      )
      expect(yield* run(gateway, program)).toBe("Hello")
    })
  )
})

describe("budgets", () => {
  const priced = (...steps: ReadonlyArray<Step<typeof ranking>>) =>
    scriptedGateway()
      .price(rerank, "0.00004")
      .on(rerank, sequence(...steps))
  const again = reply(ranking, { cost: "0.00001" })

  it.effect("hold the first call's maximum, and are settled by the result of resume", () =>
    Effect.gen(function* () {
      const gateway = priced(reset(), again, again, again)
      // 0.00005: the maximum fits once, until resume settles the first call with 0.00001.
      const program = Effect.gen(function* () {
        const error = yield* unknownOf(rerank(question, { retries: 0 }))
        expect((yield* Effect.flip(rerank(question)))._tag).toBe("BudgetExceeded")
        yield* resume(rerank, error)
        yield* rerank(question)
        return (yield* Effect.flip(rerank(question)))._tag
      }).pipe(withBudget("0.00005"))
      expect(yield* run(gateway, program)).toBe("BudgetExceeded")
      expect(gateway.quotes(rerank)).toHaveLength(4)
      expect(gateway.charged).toBe("0.000020")
    })
  )

  it.effect("still hold the maximum if resume is refused before it is sent", () =>
    Effect.gen(function* () {
      const gateway = priced(lost)
      const program = Effect.gen(function* () {
        const error = yield* unknownOf(rerank(question, { retries: 0 }))
        const refused = yield* Effect.flip(resume(rerank, error, { headers: { "x-team": "a\nb" } }))
        expect(refused._tag).toBe("InputInvalid")
        return (yield* Effect.flip(rerank(question)))._tag
      }).pipe(withBudget("0.00005"))
      expect(yield* run(gateway, program)).toBe("BudgetExceeded")
      expect(gateway.calls(rerank)).toHaveLength(1)
    })
  )

  it.effect("refuse to resume a call that cost nothing so far, if it no longer fits", () =>
    Effect.gen(function* () {
      const gateway = priced(
        raw(500, "", { headers: { "x-tollgate-cost-state": "none" } }),
        reply(ranking, { cost: "0.00003" }),
        again
      )
      const program = Effect.gen(function* () {
        const error = yield* Effect.flip(rerank(question, { retries: 0 }))
        yield* rerank(question)
        return yield* Effect.flip(resume(rerank, error))
      }).pipe(withBudget("0.00005"))
      expect(yield* run(gateway, program)).toMatchObject({ _tag: "BudgetExceeded", left: { usd: "0.00002" } })
    })
  )

  it.effect("do not refuse a resume, also outside of the first call's", () =>
    Effect.gen(function* () {
      const gateway = priced(lost)
      const program = Effect.gen(function* () {
        const error = yield* unknownOf(rerank(question, { retries: 0 }).pipe(withBudget("0.00004")))
        return yield* resume(rerank, error).pipe(withBudget("0"))
      })
      expect(yield* run(gateway, program)).toEqual(ranking)
    })
  )
})

it("whatever goes wrong, an app that resumes never pays twice", async () => {
  const answers = reply(ranking, { cost: "0.00001" })
  const step = fc.constantFrom<Step<typeof ranking>>(
    answers,
    reset(),
    reset(answers),
    reset(answers),
    later("2 seconds", answers),
    later("11 minutes", answers),
    raw(500, "oops"),
    fail("upstream_failed"),
    fail("internal_error"),
    fail("shutting_down"),
    fail("settlement_pending"),
    fail("rate_limit_exceeded", { retryAfter: 0 }),
    fail("upstream_unreachable"),
    reset(fail("upstream_timeout"))
  )
  /** Calls until there is an answer. Only a call that provably did not run is made anew. */
  const persistent = Effect.gen(function* () {
    let made = yield* Effect.result(rerank(question))
    for (let i = 0; i < 30 && made._tag === "Failure"; i++) {
      const { failure } = made
      if (failure._tag === "OutcomeUnknown") {
        if (failure.code === "idempotency_unknown") return
        made = yield* Effect.result(resume(rerank, failure))
      } else if (failure.outcome === "not executed" || ("charge" in failure && failure.charge.state === "none")) {
        made = yield* Effect.result(rerank(question))
      } else return
    }
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const gateway = scriptedGateway().on(rerank, sequence(...steps, ...Array.from({ length: 200 }, () => answers)))
      await run(gateway, persistent).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
      expect(Number(gateway.charged)).toBeLessThanOrEqual(0.00001)
    }),
    { numRuns: 200 }
  )
})

it.effect("a cap stays in force", () =>
  Effect.gen(function* () {
    const gateway = scriptedGateway().on(rerank, sequence(lost))
    const call = rerank(question, { retries: 0 }).pipe(withMaxPrice("0.02"))
    yield* run(
      gateway,
      Effect.flatMap(unknownOf(call), (error) => resume(rerank, error))
    )
    expect(gateway.calls(rerank).map(({ headers }) => headers["x-tollgate-max-price-usd"])).toEqual(["0.02", "0.02"])
  })
)
