import { describe, expect, it } from "@effect/vitest"
import { askServed as ask } from "@tollgate/testing/hostile/askServed"
import { endlessUpstream, socketBuffers } from "@tollgate/testing/hostile/endlessUpstream"
import { providerAt, servedTo } from "@tollgate/testing/hostile/Served"
import { calls } from "@tollgate/testing/models"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"

const answerBytes = 100_000
const type = "Content-Type: application/json\r\n"
const piece = "x".repeat(65_536)

const wholes: Record<string, readonly [head: string, piece: string]> = {
  "until the connection closes": [`HTTP/1.1 200 OK\r\n${type}\r\n`, piece],
  "in chunks": [`HTTP/1.1 200 OK\r\n${type}Transfer-Encoding: chunked\r\n\r\n`, `10000\r\n${piece}\r\n`],
  "of an announced length": [`HTTP/1.1 200 OK\r\n${type}Content-Length: 4200000000\r\n\r\n`, piece],
  "that says it is compressed": [`HTTP/1.1 200 OK\r\n${type}Content-Encoding: gzip\r\n\r\n`, piece],
  "that is an error": [`HTTP/1.1 400 Bad Request\r\n${type}\r\n`, piece]
}

const body = JSON.stringify({ model: "sandbox", messages: [{ role: "user", content: "Why?" }] })

describe("a whole answer without end", () => {
  for (const [way, [head, piece]] of Object.entries(wholes)) {
    it.live(`${way} is refused at the bound, and its connection is closed`, () =>
      Effect.gen(function* () {
        const upstream = yield* endlessUpstream(head, piece)
        yield* Effect.gen(function* () {
          const answer = yield* ask("/v1/chat/completions", body)
          expect(answer.status).toBe(502)
          expect(answer.json()).toMatchObject({ error: { code: "upstream_failed" } })
          expect(answer.text).toContain(`${answerBytes} bytes`)
          expect((yield* calls).map(({ charged, state }) => [state, charged])).toEqual([["unknown", 0]])
          for (const accepted of yield* upstream.accepted) expect(accepted).toBeLessThan(answerBytes + socketBuffers)
        }).pipe(
          Effect.provide(
            servedTo({ "chat.completions": providerAt(upstream.port, { protocol: "openai", answerBytes }) })
          )
        )
      }).pipe(Effect.scoped)
    )
  }

  it.live("is refused by the length that it announces, before any of it arrives", () =>
    Effect.gen(function* () {
      const { port } = yield* httpUpstream((res) =>
        res
          .writeHead(200, { "content-type": "application/json", "content-length": String(answerBytes + 1) })
          .flushHeaders()
      )
      yield* Effect.gen(function* () {
        expect((yield* ask("/v1/chat/completions", body)).json()).toMatchObject({ error: { code: "upstream_failed" } })
      }).pipe(Effect.provide(servedTo({ "chat.completions": providerAt(port, { protocol: "openai", answerBytes }) })))
    }).pipe(Effect.scoped)
  )

  it.live("is bounded for ten calls at a time", () =>
    Effect.gen(function* () {
      const upstream = yield* endlessUpstream(...wholes["in chunks"]!)
      yield* Effect.gen(function* () {
        const answers = yield* Effect.all(
          Array.from({ length: 10 }, () => ask("/v1/chat/completions", body)),
          { concurrency: "unbounded" }
        )
        expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 502))
        const accepted = yield* upstream.accepted
        expect(accepted).toHaveLength(10)
        expect(Math.max(...accepted)).toBeLessThan(answerBytes + socketBuffers)
      }).pipe(
        Effect.provide(
          servedTo({
            "chat.completions": providerAt(upstream.port, { protocol: "openai", answerBytes, breaker: false })
          })
        )
      )
    }).pipe(Effect.scoped)
  )

  it.live("up to the bound is handed on", () =>
    Effect.gen(function* () {
      const text = JSON.stringify({ results: [], padding: "x".repeat(answerBytes - 27) })
      expect(text).toHaveLength(answerBytes)
      const upstream = yield* httpUpstream((res) => void res.end(text))
      yield* Effect.gen(function* () {
        const answer = yield* ask("/v1/rerank", JSON.stringify({ query: "q", documents: ["a"] }))
        expect(answer.text).toBe(text)
      }).pipe(Effect.provide(servedTo({ rerank: providerAt(upstream.port, { protocol: "json", answerBytes }) })))
    }).pipe(Effect.scoped)
  )
})
