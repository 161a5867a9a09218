import { describe, expect, it } from "@effect/vitest"
import { chatCompletions, type Client, quote, rerank, resume } from "@tollgate/client"
import { metrics } from "../src/observe/metrics.ts"
import { observe } from "../src/observe/observe.ts"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { answer, attempts, inOrder, refusal } from "./attempts.ts"
import { fail, question, ranking, type scripted } from "./scripted.ts"

type Handler = Parameters<typeof scripted>[0]

const costing = (micros: string, state: string, more: Record<string, string> = {}, body: unknown = ranking) =>
  answer(200, body, { "x-tollgate-cost-micros-usd": micros, "x-tollgate-cost-state": state, ...more })

const replayed = { "idempotent-replayed": "true", "x-tollgate-replayed-cost-micros-usd": "100" }
const inFlight = refusal(409, "idempotency_in_flight")
const lost = fail(new Error("reset"))

/** All series after the calls, as `name{labels} value`. */
const counted = Effect.fnUntraced(function* (
  ...calls: ReadonlyArray<readonly [call: Effect.Effect<unknown, unknown, Client>, handler: Handler]>
) {
  const registry: Metric.MetricRegistry = new Map()
  for (const [call, handler] of calls) {
    yield* attempts(
      call.pipe(Effect.provide(observe(metrics)), Effect.provideService(Metric.MetricRegistry, registry)),
      handler
    )
  }
  const series = yield* Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry)
  return series.map(({ attributes, id, state }) => {
    const { unit: _, ...labels } = { ...attributes }
    const count = "count" in state ? state.count : undefined
    const value = id.startsWith("gen_ai") && "sum" in state ? `${count} of ${state.sum}` : count
    const shown = Object.entries(labels).map(([name, value]) => `${name.replace(/^tollgate\./, "")}=${value}`)
    return `${id.replace("tollgate.client.", "")}{${shown.toSorted().join(", ")}} ${value}`
  })
})

const only = (name: string, series: ReadonlyArray<string>) =>
  series.filter((line) => line.startsWith(`${name}{`)).toSorted()

describe("metrics", () => {
  it.effect("count calls by operation and result", () =>
    Effect.gen(function* () {
      const series = yield* counted(
        [rerank(question), costing("1", "settled")],
        [rerank(question), costing("1", "settled")],
        [rerank(question), refusal(402, "insufficient_balance")],
        [rerank({ ...question, query: "" }), refusal(500)],
        [quote(rerank, question), refusal(500)]
      )
      expect(only("calls", series)).toEqual([
        "calls{error.type=InputInvalid, mode=call, operation=rerank, outcome=not executed, result=failed} 1",
        "calls{error.type=OverBudget, mode=call, operation=rerank, outcome=not executed, result=failed} 1",
        "calls{error.type=ServerFault, mode=quote, operation=rerank, outcome=unknown, result=failed} 1",
        "calls{mode=call, operation=rerank, result=success} 2"
      ])
      expect(only("duration", series)).toHaveLength(4)
      expect(only("attempts", series)).toEqual([
        "attempts{mode=call, operation=rerank} 3",
        "attempts{mode=quote, operation=rerank} 1"
      ])
      expect(only("retries", series)).toEqual([])
    })
  )

  it.effect("count attempts and retries", () =>
    Effect.gen(function* () {
      const again = inOrder(refusal(503), refusal(503), costing("1", "settled"))
      const series = yield* counted([rerank(question), again], [rerank(question), costing("1", "settled")])
      expect(only("attempts", series)).toEqual(["attempts{mode=call, operation=rerank} 4"])
      expect(only("retries", series)).toEqual(["retries{mode=call, operation=rerank} 2"])
    })
  )

  it.effect("sum charges exactly and once", () =>
    Effect.gen(function* () {
      const series = yield* counted(
        [rerank(question), costing("9007199254740991", "settled")],
        [rerank(question), costing("10", "settled")],
        [rerank(question), costing("5", "estimated")],
        [rerank(question), costing("100", "pending")],
        [rerank(question), costing("100", "none")],
        // The stored answer of another call of the program with the same key.
        [rerank(question), costing("0", "none", replayed)],
        [rerank(question), inOrder(refusal(429), costing("0", "none", replayed))],
        [rerank(question), inOrder(inFlight, costing("0", "none", replayed))],
        // A lost answer of the call itself.
        [rerank(question), inOrder(lost, costing("0", "none", replayed))],
        [
          Effect.catch(rerank(question, { retries: 0 }), (error) => resume(rerank, error)),
          inOrder(lost, costing("0", "none", replayed))
        ],
        [rerank(question), answer(200, ranking)],
        [rerank(question), costing("3", "settled", {}, [])]
      )
      expect(only("cost_micros_usd", series)).toEqual([
        "cost_micros_usd{cost.state=estimated, mode=call, operation=rerank} 5",
        "cost_micros_usd{cost.state=settled, mode=call, operation=rerank} 9007199254741204"
      ])
    })
  )

  it.effect("count tokens by direction, under OpenTelemetry's name", () =>
    Effect.gen(function* () {
      const usage = { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 5 } }
      const series = yield* counted(
        [chatCompletions({ model: "m", messages: [] }), answer(200, { choices: [], usage })],
        [chatCompletions({ model: "m", messages: [] }), answer(200, { choices: [], usage })],
        [rerank(question), answer(200, { ...ranking, usage })]
      )
      const of = "gen_ai.operation.name=chat, gen_ai.provider.name=openai, gen_ai.request.model=m"
      const to = "server.address=gateway.invalid, server.port=80"
      expect(only("gen_ai.client.token.usage", series)).toEqual([
        `gen_ai.client.token.usage{${of}, gen_ai.token.type=input, ${to}} 2 of 24`,
        `gen_ai.client.token.usage{${of}, gen_ai.token.type=output, ${to}} 2 of 6`
      ])
    })
  )

  it.effect("record a call's duration in seconds", () =>
    Effect.gen(function* () {
      const registry: Metric.MetricRegistry = new Map()
      const slow: Handler = (request, url, signal) => Effect.delay(answer(200, ranking)(request, url, signal), 1500)
      const call = rerank(question).pipe(
        Effect.provide(observe(metrics)),
        Effect.provideService(Metric.MetricRegistry, registry)
      )
      yield* attempts(call, slow)
      const series = yield* Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry)
      const duration = series.find(({ id }) => id === "tollgate.client.duration")
      expect(duration?.state).toMatchObject({ count: 1, sum: 1.5 })
      expect(duration?.attributes).toMatchObject({ unit: "s" })
    })
  )
})
