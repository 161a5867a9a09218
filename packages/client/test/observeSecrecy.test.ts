import { describe, expect, it } from "@effect/vitest"
import {
  chatCompletions,
  chatCompletionsStream,
  type Client,
  type Options,
  quote,
  rerank,
  userStories,
  withIdempotencyKey
} from "@tollgate/client"
import { metrics } from "../src/observe/metrics.ts"
import type { Observer } from "../src/observe/Observer.ts"
import { observe } from "../src/observe/observe.ts"
import { spans } from "../src/observe/spans.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import { tracer } from "./observeTracer.ts"
import { credential, fail, json, respond, scripted, Unsent } from "./scripted.ts"
import { data } from "./streamScripted.ts"

const canary = "c4n4ry"

const key = `key-${canary}`
const asked = { query: `prompt ${canary}`, documents: [`document ${canary}`] } as const
const chat = { model: "m", messages: [{ role: "user" as const, content: `prompt ${canary}` }] }
const body = JSON.stringify({ error: { message: `body ${canary}`, code: `code ${canary}` }, content: canary })
const options = { baseUrl: `http://user-${canary}:word-${canary}@gateway.invalid/base-${canary}` }

const wrapped = new Error(`cause ${canary}`, { cause: { headers: { authorization: credential } } })

type Handler = Parameters<typeof scripted>[0]

const handlers: Readonly<Record<string, Handler>> = {
  "a refused connection": fail(Object.assign(new Unsent(canary), { cause: wrapped })),
  "a reset": fail(wrapped),
  "a refusal": respond(400, body, { ...json, "set-cookie": `key=${credential}`, "x-more": canary }),
  "a fault": respond(500, body, json),
  "another shape": respond(200, JSON.stringify({ results: canary, usage: canary }), json),
  "an answer that is no JSON": respond(200, canary, { "content-type": `text/${canary}` }),
  "a stream with an error": respond(
    200,
    data({ choices: [{ delta: { content: canary } }] }, { error: { message: canary, code: canary, type: canary } }),
    { "content-type": "text/event-stream" }
  ),
  "a stream with something else": respond(200, data(`not JSON ${canary}`), { "content-type": "text/event-stream" }),
  "a good answer": respond(200, JSON.stringify({ choices: [{ message: { content: canary } }], id: canary }), {
    ...json,
    "x-more": canary
  })
}

const calls: Readonly<Record<string, Effect.Effect<unknown, unknown, Client>>> = {
  "a call": rerank(asked),
  "a call of a model": chatCompletions(chat),
  "a call with a query": userStories({ user: canary }),
  "a quote": quote(rerank, asked),
  "a stream": Stream.runDrain(chatCompletionsStream(chat)),
  "a wrong input": rerank({ ...asked, documents: JSON.parse(`{"no list": "${canary}"}`) }),
  "a key of the caller's": rerank(asked).pipe(withIdempotencyKey(key))
}

/** Everything that observers see of a call: spans in full depth, metrics and reports. */
const shown = Effect.fnUntraced(function* (
  call: Effect.Effect<unknown, unknown, Client>,
  handler: Handler,
  more: Partial<Options> = {}
) {
  const { layer, made } = tracer()
  const registry: Metric.MetricRegistry = new Map()
  const reports: Array<unknown> = []
  const reporter: Observer = (begun) =>
    Effect.sync(() => {
      reports.push(begun)
      return {
        attempted: (...attempt) => Effect.sync(() => reports.push(attempt)),
        ended: (ended) => Effect.sync(() => reports.push(ended))
      }
    })
  yield* Effect.exit(call).pipe(
    Effect.provide(scripted(handler, { ...options, ...more }).layer),
    Effect.provide(observe(spans, metrics, reporter)),
    Effect.provide(layer),
    Effect.provideService(Metric.MetricRegistry, registry)
  )
  const series = yield* Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry)
  const failures = made.map(({ status }) =>
    status._tag === "Ended" && status.exit._tag === "Failure"
      ? [Cause.pretty(status.exit.cause), ...Cause.prettyErrors(status.exit.cause).map(({ stack }) => stack)]
      : []
  )
  expect(made.length).toBeGreaterThan(0)
  expect(reports.length).toBeGreaterThan(1)
  return [made, failures, series, reports]
    .map((value) => inspect(value, { depth: 30, showHidden: true, maxStringLength: null, maxArrayLength: null }))
    .join("\n")
})

describe("nothing that was asked, answered or kept secret is in a span or a metric", () => {
  for (const [what, call] of Object.entries(calls)) {
    for (const [how, handler] of Object.entries(handlers)) {
      it.effect(`of ${what}, by ${how}`, () =>
        Effect.gen(function* () {
          const all = yield* shown(call, handler)
          expect(all).toContain("gateway.invalid")
          expect(all).not.toContain(canary)
          expect(all).not.toContain(credential)
        })
      )
    }
  }

  it.effect("nor the reason why a credential failed", () =>
    Effect.gen(function* () {
      const all = yield* shown(rerank(asked), respond(200, "{}"), { credential: Effect.fail(wrapped) })
      expect(all).toContain("CredentialUnavailable")
      expect(all).not.toContain(canary)
    })
  )

  it.effect("and an overlong id or model name is dropped", () =>
    Effect.gen(function* () {
      const answer = JSON.stringify({ model: canary.repeat(30) })
      const all = yield* shown(
        chatCompletions(chat),
        respond(200, answer, { ...json, "x-request-id": canary.repeat(30) })
      )
      expect(all).not.toContain(canary)
    })
  )
})
