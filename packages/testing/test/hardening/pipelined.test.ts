import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { NodeHttpServer } from "@tollgate/server"
import { request, rerank, smuggled } from "@tollgate/testing/hardening/requests"
import { readers, Target } from "@tollgate/testing/hardening/target"
import { wire } from "@tollgate/testing/hardening/wire"

interface Expected {
  readonly statuses: ReadonlyArray<number>
  readonly reusable?: boolean
  /** How many of the requests were executed. */
  readonly executed: number
}

const slow = rerank(["X-Tollgate-Scenario: slow; ms=300"])
const stream = request(
  "POST /v1/chat/completions",
  ["X-Tollgate-Scenario: interval; ms=20"],
  JSON.stringify({ model: "sandbox", stream: true, messages: [{ role: "user", content: "Why?" }] })
)
const garbage = "\0\0garbage\r\n\r\n"
const twoHosts = rerank(["Host: other"])

describe.each(readers)("%s", (_, reader) => {
  const test = (name: string, send: string, expected: Expected, options: Partial<NodeHttpServer.Options> = {}) =>
    it.live(`${name}: ${expected.statuses.slice(0, 3).join(", ")}`, () =>
      Effect.gen(function* () {
        const { totals, port, reached } = yield* Target
        const client = yield* wire(port)
        client.send(send)
        const answers = yield* expected.reusable === true ? client.until(expected.statuses.length) : client.closed
        expect(answers.map(({ status }) => status)).toEqual(expected.statuses)
        expect(answers.every(({ complete }) => complete)).toBe(true)
        expect(reached.filter((url) => url.includes("smuggled"))).toEqual([])
        expect(yield* totals).toMatchObject({ executed: expected.executed, calls: expected.executed, open: 0 })
      }).pipe(Effect.provide(Target.layer({ ...reader, ...options })))
    )

  // A swapped answer would report a charged call as failed.
  test("answers come in the order of the requests", slow + request("GET /nothing") + rerank(), {
    statuses: [200, 404, 200],
    reusable: true,
    executed: 2
  })
  test("a thousand requests at once", request("GET /v1/models").repeat(1000), {
    statuses: Array.from({ length: 1000 }, () => 200),
    reusable: true,
    executed: 0
  })
  test("garbage after a call in flight", slow + garbage + smuggled, { statuses: [200, 400], executed: 1 })
  test("garbage after a stream in flight", stream + garbage + smuggled, { statuses: [200, 400], executed: 1 })
  test("garbage after two calls in flight", slow + rerank() + garbage + smuggled, {
    statuses: [200, 200, 400],
    executed: 2
  })
  test("a refused request after a call in flight", slow + twoHosts + smuggled, { statuses: [200, 400], executed: 1 })
  test("CONNECT after a call in flight", `${slow}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`, {
    statuses: [200, 405],
    executed: 1
  })
  test(
    "broken chunks after a call in flight",
    `${slow}${request("POST /v1/rerank", ["Transfer-Encoding: chunked"])}zz`,
    {
      statuses: [200, 400],
      executed: 1
    }
  )
  test("requests after one that closes", rerank(["Connection: close"]) + smuggled, { statuses: [200], executed: 1 })
  test("requests after one of HTTP/1.0", rerank().replace("HTTP/1.1", "HTTP/1.0") + smuggled, {
    statuses: [200],
    executed: 1
  })
  test("requests after one that is refused", twoHosts + smuggled, { statuses: [400], executed: 0 })
  test("requests after one whose body is not read", request("POST /nothing", [], "x".repeat(1_000_000)) + smuggled, {
    statuses: [404],
    executed: 0
  })
  // `node:http` counts from where it was handed the connection.
  const executed = reader.fastReader === true ? 3 : 2
  test(
    "requests after the last of a connection",
    rerank().repeat(executed) + smuggled,
    { statuses: [...Array.from({ length: executed }, () => 200), 503], reusable: true, executed },
    { maxRequestsPerConnection: 2 }
  )
  test(
    "half a head after a call in flight",
    `${slow}GET /v1/mod`,
    { statuses: [200, 408], executed: 1 },
    {
      headersTimeout: "200 millis"
    }
  )
  test(
    "half a body after a call in flight",
    `${slow}${request("POST /v1/rerank", ["Content-Length: 9"])}{`,
    {
      statuses: [200, 408],
      executed: 1
    },
    { requestTimeout: "200 millis" }
  )

  it.live("a request whose head arrived too late is not executed", () =>
    Effect.gen(function* () {
      const { totals, port, reached } = yield* Target
      const client = yield* wire(port)
      // A name twice: `node:http` reads the first one too. The own reader does not look further until it is answered.
      client.send(`${rerank(["X-Tollgate-Scenario: slow; ms=1000", "X-A: 1", "X-A: 2"])}${smuggled.slice(0, 9)}`)
      yield* Effect.sleep("800 millis")
      client.send(smuggled.slice(9))
      expect((yield* client.closed).map(({ status }) => status)).toEqual([200, 408])
      expect(reached).toEqual(["/v1/rerank"])
      expect(yield* totals).toMatchObject({ executed: 1, calls: 1, open: 0 })
    }).pipe(Effect.provide(Target.layer({ ...reader, headersTimeout: "200 millis" })))
  )

  it.live("a request that arrives during shutdown is not executed", () =>
    Effect.gen(function* () {
      const { client, reached } = yield* Effect.gen(function* () {
        const { port, reached } = yield* Target
        const client = yield* wire(port)
        client.send(slow)
        while (reached.length === 0) yield* Effect.sleep("5 millis")
        setTimeout(() => client.send(smuggled), 50)
        return { client, reached }
      }).pipe(Effect.provide(Target.layer(reader)))
      expect((yield* client.closed).map(({ status }) => status)).toEqual([200])
      expect(reached).toEqual(["/v1/rerank"])
    }).pipe(Effect.scoped)
  )
})
