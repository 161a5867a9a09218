import { describe, expect, layer } from "@effect/vitest"
import { key, type Host, TestGateway } from "@tollgate/testing"
import { ask, question } from "@tollgate/testing/ask"
import { hasChromium } from "@tollgate/testing/chromium"
import { calls } from "@tollgate/testing/models"
import { endedCalls } from "@tollgate/testing/react/endedCalls"
import { type HookPage, HookPages } from "@tollgate/testing/react/HookPages"
import { pricedSandbox } from "@tollgate/testing/react/pricedSandbox"
import * as Effect from "effect/Effect"

const rerank = [{ query: "longest river", documents: ["A mountain.", "The longest river."] }]

/** Polls as often as the gateway allows. */
const video = (prompt: string) => [
  { model: "sandbox-video", input: { prompt } },
  { firstMillis: 0, betweenMillis: [0, 0] }
]

const charged = ask("POST", "/v1/rerank", { authorization: `Bearer ${key}` }, question)

const inChromium = layer(HookPages.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)("hooks in Chromium", () =>
  inChromium((it) => {
    const test = (
      name: string,
      shown: string,
      use: (page: HookPage) => Effect.Effect<unknown, unknown, Host | TestGateway>,
      settings?: object
    ) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const { open } = yield* HookPages
          const page = yield* open(shown, settings)
          yield* use(page)
          expect(page.problems).toEqual([])
        }).pipe(Effect.scoped, Effect.provide(pricedSandbox()))
      )

    test("a call returns its value, and a double click pays once", "Call", (page) =>
      Effect.gen(function* () {
        expect(yield* page.read).toEqual({ state: "idle" })
        yield* page.act("call", rerank, 2)
        yield* page.until("state", "done")
        expect(yield* page.read).toMatchObject({ value: { results: [{ index: 1 }, { index: 0 }] } })
        const [call] = yield* endedCalls(1)
        const { cost, requestId } = yield* page.read
        expect({ cost, requestId }).toEqual({
          cost: { state: "settled", micros: call?.charged, usd: expect.any(String) },
          requestId: call?.id
        })
        expect(yield* (yield* TestGateway).billingLog.count).toBe(1)
      })
    )

    test("a call whose answer is lost is resumed and paid once", "Call", (page) =>
      Effect.gen(function* () {
        const deliver = yield* page.loseAnswers("/v1/rerank")
        yield* page.act("call", [...rerank, { retries: 0 }])
        yield* page.until("state", "failed")
        expect(yield* page.read).toMatchObject({ error: { _tag: "OutcomeUnknown", outcome: "unknown" } })
        yield* deliver
        yield* page.act("resume", [])
        yield* page.until("state", "done")
        expect(yield* page.read).toMatchObject({ value: { results: [{ index: 1 }, { index: 0 }] } })
        expect(yield* (yield* TestGateway).billingLog.count).toBe(1)
        expect((yield* calls).filter(({ charged }) => charged > 0)).toHaveLength(1)
      })
    )

    test(
      "a call that is refused has its error as a value",
      "Call",
      (page) =>
        Effect.gen(function* () {
          yield* page.act("call", rerank)
          yield* page.until("state", "failed")
          expect(yield* page.read).toMatchObject({ error: { _tag: "Unauthenticated", outcome: "not executed" } })
          expect(yield* calls).toEqual([])
        }),
      { key: "tg_wrong" }
    )

    test("a video runs until it is there, and is paid once", "Task", (page) =>
      Effect.gen(function* () {
        yield* page.act("start", video("A river [task 50ms]"), 2)
        yield* page.until("state", "done")
        const { progress, result, taskId } = yield* page.read
        expect(result).toMatchObject({ output: { task_id: taskId, task_status: "SUCCEEDED" } })
        expect(progress).toMatchObject({ status: "SUCCEEDED" })
        expect(yield* endedCalls(1)).toMatchObject([{ state: "settled", charged: 10_000 }])
      })
    )

    test("a wait ends with its component and is resumed by the task's id, without another charge", "Task", (page) =>
      Effect.gen(function* () {
        yield* page.act("start", video("A river [task 1s]"))
        yield* page.until("state", "running")
        const { taskId } = yield* page.read
        yield* page.show()
        yield* page.show("Task")
        yield* page.until("state", "idle")
        yield* page.act("resume", [taskId, { firstMillis: 0, betweenMillis: [0, 0] }])
        yield* page.until("state", "done")
        expect((yield* page.read)["taskId"]).toBe(taskId)
        expect(yield* endedCalls(1)).toMatchObject([{ charged: 10_000 }])
      })
    )

    test("a video that fails has its error as a value and its id", "Task", (page) =>
      Effect.gen(function* () {
        yield* page.act("start", video("A river [task 50ms] [task fails]"))
        yield* page.until("state", "failed")
        const { error, taskId } = yield* page.read
        expect(error).toMatchObject({ _tag: "VideoFailed", taskId })
        expect(yield* endedCalls(1)).toMatchObject([{ charged: 0 }])
      })
    )

    test("usage loads when it is shown, with one request in strict mode, and again when asked", "Usage", (page) =>
      Effect.gen(function* () {
        yield* page.until("state", "ready")
        expect(yield* page.read).toMatchObject({ report: { currency: "USD", totals: { requests: 0 } } })
        expect(page.requests.filter((request) => request === "GET /v1/usage")).toHaveLength(1)
        yield* charged
        yield* page.act("refresh", [])
        yield* page.until("report.totals.requests", 1)
      })
    )

    test("usage is loaded again and again at an interval", "Watched", (page) =>
      Effect.gen(function* () {
        yield* page.until("report.totals.requests", 0)
        yield* charged
        yield* page.until("report.totals.requests", 1)
      })
    )

    test(
      "usage that cannot be loaded is an error as a value",
      "Usage",
      (page) =>
        Effect.gen(function* () {
          yield* page.until("state", "failed")
          expect(yield* page.read).toMatchObject({ error: { _tag: "Unauthenticated" } })
        }),
      { key: "tg_wrong" }
    )
  })
)
