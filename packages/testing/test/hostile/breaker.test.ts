import { describe, expect, it } from "@effect/vitest"
import { askServed } from "@tollgate/testing/hostile/askServed"
import { providerAt, servedTo } from "@tollgate/testing/hostile/Served"
import { tenant } from "@tollgate/testing/hostile/tenants"
import { question } from "@tollgate/testing/ask"
import { closedPort, httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"

const poison = JSON.stringify({ query: "poison", documents: ["a"] })

const rerankAt = (port: number) => ({ rerank: providerAt(port, { protocol: "json" }) })

describe("an upstream that one account makes fail", () => {
  it.live("stays in use for the others, however often it fails for that one", () =>
    Effect.gen(function* () {
      const { port } = yield* httpUpstream((res, { body }) => {
        if (body === poison) res.writeHead(500).end("boom")
        else res.setHeader("content-type", "application/json").end('{"results":[]}')
      })
      yield* Effect.gen(function* () {
        const hostile = yield* tenant("hostile")
        const honest = yield* tenant("honest")
        for (let i = 0; i < 20; i++) {
          for (let j = 0; j < 5; j++) expect((yield* askServed("/v1/rerank", poison, hostile)).status).toBe(500)
          expect((yield* askServed("/v1/rerank", question, honest)).status).toBe(200)
        }
      }).pipe(Effect.provide(servedTo(rerankAt(port))))
    }).pipe(Effect.scoped)
  )
})

describe("an upstream that is gone", () => {
  it.live("is paused after five attempts, and the caller is told when to try again", () =>
    Effect.gen(function* () {
      const port = yield* closedPort
      yield* Effect.gen(function* () {
        for (let i = 0; i < 5; i++) expect((yield* askServed("/v1/rerank", question)).status).toBe(502)
        const paused = yield* askServed("/v1/rerank", question)
        expect([paused.status, paused.headers["retry-after"]]).toEqual([503, "5"])
        expect(paused.text).toContain("nothing was executed")
      }).pipe(Effect.provide(servedTo(rerankAt(port))))
    }).pipe(Effect.scoped)
  )
})
