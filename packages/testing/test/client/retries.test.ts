import { describe, expect, it } from "@effect/vitest"
import {
  Client,
  type Options,
  quote,
  rerank,
  videoCreate,
  withBudget,
  withIdempotencyKey,
  withMaxPrice
} from "@tollgate/client"
import { usd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as HttpCarrier from "@tollgate/contract/carrier/HttpCarrier"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import { HttpClientError, TransportError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"

const question = { query: "river mountain sea", documents: ["river mountain sea shore ".repeat(50)] } as const
const video = { model: "sandbox-video", input: { prompt: "a river" } }

const priced = operations.map((operation): Operation =>
  operation.id === "video.create" ? { ...operation, price: { contract: "per_task", amount: usd("0.05") } } : operation
)

/** A scenario of the sandbox, or the gateway's answer lost before it reaches the client. */
type Turn = string | { readonly lost: true }

const lost: Turn = { lost: true }

/** A client whose attempts have these faults in order; later attempts have none. */
const clientOver = (turns: ReadonlyArray<Turn>, options: Partial<Options> = {}) =>
  Layer.unwrap(
    Host.use(({ baseUrl, http }) => {
      let next = 0
      const transport = HttpClient.make((request) => {
        const turn = turns[next++] ?? "none"
        if (typeof turn === "string") {
          return http.execute(HttpClientRequest.setHeader(request, "x-tollgate-scenario", turn))
        }
        const reason = new TransportError({ request, cause: new Error("reset"), description: "reset" })
        return http.execute(request).pipe(
          Effect.tap((response) => response.text),
          Effect.andThen(Effect.fail(new HttpClientError({ reason })))
        )
      })
      return Effect.succeed(
        Client.layer({ credential: key, baseUrl, ...options, retry: { backoffMillis: 1, ...options.retry } }).pipe(
          Layer.provide(HttpCarrier.layer),
          Layer.provide(Layer.succeed(HttpClient.HttpClient, transport))
        )
      )
    })
  )

/** What both sides have recorded: the upstream's bills, and the gateway's calls that ran or may have. */
const recorded = Effect.gen(function* () {
  const { billingLog, sql } = yield* TestGateway
  const rows = yield* sql.unsafe<{ readonly state: string; readonly charged: number }>(
    "SELECT state, charged FROM calls WHERE state NOT IN ('released', 'replayed') ORDER BY id"
  )
  return {
    billed: yield* billingLog.count,
    states: rows.map(({ state }) => state),
    charged: rows.reduce((sum, { charged }) => sum + Number(charged), 0)
  }
})

const layer = () =>
  Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))
const live = (what: string, test: Effect.Effect<unknown, unknown, Host | TestGateway>) =>
  it.live(what, () => test.pipe(Effect.provide(layer())))

describe("one call of rerank is billed once", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<Turn>]> = [
    ["on a good day", []],
    ["after a 429", ["status; code=429; after=0"]],
    ["after two", ["status; code=429; after=0", "status; code=429; after=0"]],
    ["after a 503", ["status; code=503"]],
    ["when its answer is lost", [lost]],
    ["when its answer is lost twice", [lost, lost]],
    ["after a 429, and then the answer is lost", ["status; code=429; after=0", lost]],
    ["when it is slow", ["slow; ms=30"]]
  ]
  for (const [name, turns] of cases) {
    live(
      `${name}, and answered`,
      Effect.gen(function* () {
        const answer = yield* rerank(question).pipe(Effect.provide(clientOver(turns)))
        expect(answer.results).toHaveLength(1)
        const charged = Math.round((answer.usage.total_tokens * 50) / 1000)
        expect(yield* recorded).toEqual({ billed: 1, states: ["settled"], charged })
      })
    )
  }

  live(
    "when the upstream disconnects and the outcome is unknown",
    Effect.gen(function* () {
      const error = yield* Effect.flip(rerank(question).pipe(Effect.provide(clientOver(["reset"]))))
      expect(error).toMatchObject({ _tag: "OutcomeUnknown", code: "idempotency_unknown" })
      expect(yield* recorded).toMatchObject({ billed: 1, states: ["unknown"] })
    })
  )

  live(
    "when the client's own time ends, and a call with its key gets the answer: the gateway carries the call to its end",
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        rerank(question).pipe(Effect.provide(clientOver(["slow; ms=1500"], { timeout: 500 })))
      )
      const idempotencyKey = "idempotencyKey" in error ? error.idempotencyKey! : ""
      yield* rerank(question, { idempotencyKey }).pipe(Effect.provide(clientOver([])))
      const { billed, states } = yield* recorded
      expect(billed).toBe(1)
      expect(states).toContain("settled")
    })
  )

  live(
    "with one idempotency key, by two clients one after the other",
    Effect.gen(function* () {
      const call = rerank(question).pipe(withIdempotencyKey("order 7"))
      const first = yield* call.pipe(Effect.provide(clientOver([])))
      expect(yield* call.pipe(Effect.provide(clientOver([])))).toEqual(first)
      expect((yield* recorded).billed).toBe(1)
    })
  )

  live(
    "with one idempotency key, by two clients at once: one waits for the other",
    Effect.gen(function* () {
      const call = rerank(question).pipe(withIdempotencyKey("order 7"))
      const [first, second] = yield* Effect.all(
        [call.pipe(Effect.provide(clientOver(["slow; ms=200"]))), call.pipe(Effect.provide(clientOver([])))],
        { concurrency: 2 }
      )
      expect(second).toEqual(first)
      expect((yield* recorded).billed).toBe(1)
    })
  )
})

describe("a video is created once", () => {
  for (const [name, turns] of [
    ["on a good day", []],
    ["after a 429", ["status; code=429; after=0"]]
  ] as const) {
    live(
      name,
      Effect.gen(function* () {
        const { output } = yield* videoCreate(video).pipe(Effect.provide(clientOver(turns)))
        expect(output.task_status).toMatch(/PENDING|RUNNING/)
        expect((yield* recorded).states).toEqual(["running"])
      })
    )
  }

  for (const [name, turns] of [
    ["the upstream breaks off", ["reset"]],
    ["the answer is lost", [lost]]
  ] as const) {
    live(
      `has an unknown outcome if ${name}, and is not retried`,
      Effect.gen(function* () {
        const error = yield* Effect.flip(videoCreate(video).pipe(Effect.provide(clientOver(turns))))
        expect(error).toMatchObject({ _tag: "OutcomeUnknown", idempotencyKey: expect.any(String) })
        expect((yield* recorded).states).toHaveLength(1)
      })
    )
  }

  live(
    "when the answer is lost: the idempotency key in the error gets it back",
    Effect.gen(function* () {
      const error = yield* Effect.flip(videoCreate(video).pipe(Effect.provide(clientOver([lost]))))
      const again = error._tag === "OutcomeUnknown" ? (error.idempotencyKey ?? "") : ""
      const result = yield* Effect.result(
        videoCreate(video).pipe(withIdempotencyKey(again), Effect.provide(clientOver([])))
      )
      expect((yield* recorded).states).toHaveLength(1)
      expect(result._tag).toBe("Success")
    })
  )
})

describe("the price", () => {
  live(
    "is quoted; neither the quote nor a call over the cap costs anything",
    Effect.gen(function* () {
      const { estimate_micros_usd, max_micros_usd, operation_id } = yield* quote(rerank, question)
      expect([operation_id, estimate_micros_usd <= max_micros_usd]).toEqual(["rerank", true])
      const error = yield* Effect.flip(rerank(question).pipe(withMaxPrice("0.000001")))
      expect(error).toMatchObject({ _tag: "OverBudget", code: "over_cap", outcome: "not executed" })
      expect(yield* recorded).toEqual({ billed: 0, states: [], charged: 0 })
    }).pipe(Effect.provide(clientOver([])))
  )

  live(
    "of all calls stays within a budget, which is reduced by actual charges",
    Effect.gen(function* () {
      const { max_micros_usd: most } = yield* quote(rerank, question)
      // Each call costs less than its maximum, so more than two fit.
      const budget = `0.${String(2 * most).padStart(6, "0")}`
      const results = yield* Effect.forEach(Array.from({ length: 12 }), () => Effect.result(rerank(question))).pipe(
        withBudget(budget)
      )
      const { billed, charged } = yield* recorded
      expect(charged).toBeLessThanOrEqual(2 * most)
      expect(charged).toBeGreaterThan(most)
      expect(billed).toBe(results.filter(({ _tag }) => _tag === "Success").length)
      expect(results.at(-1)).toMatchObject({ failure: { _tag: "BudgetExceeded" } })
    }).pipe(Effect.provide(clientOver([])))
  )
})
