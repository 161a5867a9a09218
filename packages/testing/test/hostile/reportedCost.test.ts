import { describe, expect, it } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import type { PriceOf } from "@tollgate/contract/price/Price"
import { ReadOn, readOnDefaults } from "@tollgate/gateway"
import { request } from "@tollgate/testing/hardening/requests"
import { wire } from "@tollgate/testing/hardening/wire"
import { askServed } from "@tollgate/testing/hostile/askServed"
import { pausedUpstream, until } from "@tollgate/testing/hostile/pausedUpstream"
import { Served, servedTo, streamProviders } from "@tollgate/testing/hostile/Served"
import { type Call, calls, reservedTotal, streams } from "@tollgate/testing/models"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type ReportedCost = PriceOf<"reported_cost">

const inField: ReportedCost = {
  contract: "reported_cost",
  cost: { field: ["usage", "cost"] },
  factor: 1_450_000n,
  most: usd("0.05")
}
const inHeader: ReportedCost = { ...inField, cost: { header: "x-cost" } }

const pricedAt = (price: ReportedCost): ReadonlyArray<Operation> =>
  operations.map((operation) =>
    operation.price.contract === "model_tokens"
      ? {
          ...operation,
          price:
            operation.family === "gemini" && "field" in price.cost
              ? { ...price, cost: { field: ["usageMetadata", "cost"] } }
              : price
        }
      : operation
  )

const data = (...values: ReadonlyArray<unknown>) =>
  values.map((value) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`).join("")

/** The end of each stream, with a cost as its upstream writes it. A number would lose digits on its way through this test. */
const styles = {
  openai: {
    begin: data({ choices: [{ index: 0, delta: { content: "word" }, finish_reason: null }] }),
    end: (cost: string) =>
      data({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
      `data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2${cost}}}\n\ndata: [DONE]\n\n`
  },
  responses: {
    begin: data(
      { type: "response.created", response: { id: "r" } },
      { type: "response.output_text.delta", delta: "word" }
    ),
    end: (cost: string) =>
      `data: {"type":"response.completed","response":{"id":"r","output":[],"usage":{"input_tokens":10,"output_tokens":2${cost}}}}\n\n`
  },
  anthropic: {
    begin: data(
      { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1, cost: 0.09 } } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "word" } }
    ),
    end: (cost: string) =>
      `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2${cost}}}\n\n` +
      data({ type: "message_stop" })
  },
  gemini: {
    begin: data({ candidates: [{ index: 0, content: { parts: [{ text: "word" }] } }] }),
    end: (cost: string) =>
      `data: {"candidates":[{"index":0,"content":{"parts":[{"text":"."}]},"finishReason":"STOP"}],` +
      `"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2${cost}}}\n\n`
  }
} as const

const names = ["openai", "responses", "anthropic", "gemini"] as const

const shown = (call: Call | undefined) => [call?.state, call?.cost_state, call?.charged]

const ended = Effect.gen(function* () {
  for (;;) {
    const all = yield* calls
    if (all.every(({ state }) => state !== "open")) return all.map(shown)
    yield* Effect.sleep("2 millis")
  }
})

describe("a stream that is charged by what its upstream says that it cost", () => {
  for (const name of names) {
    const { begin, end } = styles[name]
    const { body, headers, path } = streams[name]

    it.live(`costs what the last report says, and a bad report costs nothing: ${name}`, () =>
      Effect.gen(function* () {
        let cost = ""
        const upstream = yield* httpUpstream((res) =>
          res.writeHead(200, { "content-type": "text/event-stream" }).end(begin + end(cost))
        )
        const send = (reported: string) =>
          Effect.gen(function* () {
            cost = reported
            const answer = yield* askServed(path, body("Why?", {}), headers)
            return shown((yield* calls).find(({ id }) => id === answer.headers["x-request-id"]))
          })
        yield* Effect.gen(function* () {
          expect(yield* send(',"cost":0.00123456789')).toEqual(["settled", "settled", 1_790])
          expect(yield* send(',"cost":1.5e-4')).toEqual(["settled", "settled", 218])
          expect(yield* send(',"cost":"0.01"')).toEqual(["settled", "settled", 14_500])
          expect(yield* send(',"cost":0')).toEqual(["settled", "settled", 0])
          expect(yield* send(',"cost":0.01,"cost":0.01')).toEqual(["settled", "settled", 14_500])
          // More than was assumed.
          expect(yield* send(',"cost":0.2')).toEqual(["settled", "settled", 290_000])
          // Anthropic's first event has a placeholder.
          const nothing = name === "anthropic" ? ["settled", "settled", 130_500] : ["released", null, 0]
          for (const bad of ["", ',"cost":null']) expect(yield* send(bad), bad).toEqual(nothing)
          for (const bad of [
            "-1",
            '"NaN"',
            "{}",
            "[1]",
            "1e999",
            "1e-999",
            "99999999",
            '"1 USD"',
            "true",
            '0.01,"cost":9'
          ]) {
            expect(yield* send(`,"cost":${bad}`), bad).toEqual(["released", null, 0])
          }
          expect(yield* reservedTotal).toBe(0)
        }).pipe(Effect.provide(servedTo(streamProviders(upstream.port), { operations: pricedAt(inField) })))
      }).pipe(Effect.scoped)
    )

    it.live(`costs what a header says: ${name}`, () =>
      Effect.gen(function* () {
        const upstream = yield* httpUpstream((res) =>
          res.writeHead(200, { "content-type": "text/event-stream", "x-cost": "0.002" }).end(begin + end(',"cost":7'))
        )
        yield* Effect.gen(function* () {
          const answer = yield* askServed(path, body("Why?", {}), headers)
          expect(answer.headers["x-cost"]).toBe(undefined)
          expect(yield* ended).toEqual([["settled", "settled", 2_900]])
        }).pipe(Effect.provide(servedTo(streamProviders(upstream.port), { operations: pricedAt(inHeader) })))
      }).pipe(Effect.scoped)
    )
  }

  const left = (limits: Partial<typeof readOnDefaults>) => (port: number) =>
    servedTo(streamProviders(port), { operations: pricedAt(inField) }).pipe(
      Layer.provide(Layer.succeed(ReadOn, { ...readOnDefaults, ...limits }))
    )

  const leave = (upstream: Effect.Success<typeof pausedUpstream>) =>
    Effect.gen(function* () {
      const { port } = yield* Served
      const client = yield* wire(port)
      client.send(request(`POST ${streams.openai.path}`, [], streams.openai.body("Why?", {})))
      yield* upstream.arrived(1)
      const [response] = yield* upstream.answer((res) => {
        res.writeHead(200, { "content-type": "text/event-stream" }).write(styles.openai.begin)
      })
      yield* until(() => client.answers()[0]?.body.includes("word") === true)
      client.socket.resetAndDestroy()
      return response
    }).pipe(Effect.scoped)

  it.live("is read on after its caller has left", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const res = yield* leave(upstream)
        yield* Effect.sleep("100 millis")
        expect(res?.destroyed).toBe(false)
        res?.end(styles.openai.end(',"cost":0.002'))
        expect(yield* ended).toEqual([["settled", "settled", 2_900]])
      }).pipe(Effect.provide(left({})(upstream.port)))
    }).pipe(Effect.scoped)
  )

  it.live("costs the most if its caller has left and the report does not come in time", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const res = yield* leave(upstream)
        expect(yield* ended).toEqual([["settled", "estimated", 50_000]])
        yield* until(() => res?.destroyed === true)
        expect(yield* reservedTotal).toBe(0)
      }).pipe(Effect.provide(left({ millis: 200 })(upstream.port)))
    }).pipe(Effect.scoped)
  )

  it.live("costs nothing if the upstream breaks off before its report", () =>
    Effect.gen(function* () {
      const upstream = yield* httpUpstream((res) => {
        res.writeHead(200, { "content-type": "text/event-stream" })
        res.write(styles.openai.begin, () => setTimeout(() => res.destroy(), 50))
      })
      yield* Effect.gen(function* () {
        yield* askServed(streams.openai.path, streams.openai.body("Why?", {}), streams.openai.headers)
        expect(yield* ended).toEqual([["released", null, 0]])
      }).pipe(Effect.provide(servedTo(streamProviders(upstream.port), { operations: pricedAt(inField) })))
    }).pipe(Effect.scoped)
  )

  it.live("never costs more than its caller's cap", () =>
    Effect.gen(function* () {
      const upstream = yield* httpUpstream((res) =>
        res
          .writeHead(200, { "content-type": "text/event-stream" })
          .end(styles.openai.begin + styles.openai.end(',"cost":9'))
      )
      yield* Effect.gen(function* () {
        const { body, headers, path } = streams.openai
        const capped = (cap: string) =>
          askServed(path, body("Why?", {}), { ...headers, "x-tollgate-max-price-usd": cap })
        expect((yield* capped("0.04")).status).toBe(402)
        expect((yield* capped("0.05")).status).toBe(200)
        expect(yield* ended).toEqual([["settled", "settled", 50_000]])
      }).pipe(Effect.provide(servedTo(streamProviders(upstream.port), { operations: pricedAt(inField) })))
    }).pipe(Effect.scoped)
  )
})
