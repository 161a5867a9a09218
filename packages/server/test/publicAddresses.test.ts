import { assert, describe, it } from "@effect/vitest"
import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { LookupFunction } from "node:net"
import { publicOnly } from "../src/UpstreamCarrier.ts"
import { get, over } from "./carry.ts"
import { serve, tcpServer } from "./net.ts"

/** A resolver: each lookup gets the next list of addresses, and the last list from then on. */
const stub = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  const asked: Array<string> = []
  const lookup: LookupFunction = (hostname, options, callback) => {
    const found = answers[Math.min(asked.length, answers.length - 1)] ?? []
    asked.push(hostname)
    const list = found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
    const [first] = list
    if (options.all === true) callback(null, list)
    else callback(null, first?.address ?? "", first?.family)
  }
  return { asked, lookup }
}

/** A server on loopback that must get no connection. */
const bait = Effect.gen(function* () {
  let connections = 0
  const { port } = yield* tcpServer(() => connections++)
  return { port, heard: () => connections }
})

const hosts = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "017700000001",
  "127.0.0.1.",
  "0.0.0.0",
  "0",
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::FFFF:7F00:1]",
  "[::127.0.0.1]",
  "localhost",
  "LOCALHOST",
  "LocalHost.",
  "１２７.0.0.1"
]

describe("a request to public addresses only", () => {
  for (const host of hosts) {
    it.live(`does not reach ${host}`, () =>
      Effect.gen(function* () {
        const { heard, port } = yield* bait
        const error = yield* over(({ carry }) => Effect.flip(carry(get(`http://${host}:${port}`))))
        assert.strictEqual(error.why, "not sent")
        assert.strictEqual(heard(), 0)
      })
    )
  }

  for (const [what, addresses] of [
    ["loopback", ["127.0.0.1"]],
    ["IPv4 and IPv6 loopback", ["::1", "127.0.0.1"]],
    ["an IPv4-mapped address", ["::ffff:127.0.0.1"]],
    ["nothing", []]
  ] as const) {
    it.live(`does not reach a name that resolves to ${what}`, () =>
      Effect.gen(function* () {
        const { heard, port } = yield* bait
        const { asked, lookup } = stub(addresses)
        const call = ({ carry }: Carrier["Service"]) => Effect.flip(carry(get(`http://api.example:${port}`)))
        const error = yield* over(call, { lookup })
        assert.strictEqual(error.why, "not sent")
        assert.deepStrictEqual([asked, heard()], [["api.example"], 0])
      })
    )
  }

  it.live("DNS rebinding: connects to the address that was checked", () =>
    Effect.gen(function* () {
      const { heard, port } = yield* bait
      const { asked, lookup } = stub(["1.1.1.1"], ["127.0.0.1"])
      const connect = publicOnly({ timeout: 5_000 }, lookup)
      // Bound to loopback, no packet leaves the machine: the connection fails, and the error names its target.
      const to = { hostname: "rebind.example", protocol: "http:", port: String(port), localAddress: "127.0.0.1" }
      const error = yield* Effect.promise(
        () => new Promise<unknown>((resolve) => connect(to, (error, socket) => (socket?.destroy(), resolve(error))))
      )
      assert.deepInclude(error, { address: "1.1.1.1", port })
      assert.deepStrictEqual([asked, heard()], [["rebind.example"], 0])
    })
  )

  it.live("ignores the private ones among several addresses", () =>
    Effect.gen(function* () {
      const { heard, port } = yield* bait
      const { lookup } = stub(["127.0.0.1", "1.1.1.1"])
      const connect = publicOnly({ timeout: 5_000 }, lookup)
      const to = { hostname: "both.example", protocol: "http:", port: String(port), localAddress: "127.0.0.1" }
      const error = yield* Effect.promise(
        () => new Promise<unknown>((resolve) => connect(to, (error, socket) => (socket?.destroy(), resolve(error))))
      )
      assert.deepInclude(error, { address: "1.1.1.1" })
      assert.strictEqual(heard(), 0)
    })
  )

  it.live("does not follow a redirect to a private address", () =>
    Effect.gen(function* () {
      const { heard, port } = yield* bait
      const redirect = HttpServerResponse.redirect(`http://127.0.0.1:${port}/`)
      const from = yield* serve(Effect.succeed(redirect))
      const incoming = yield* over(({ carry }) => carry(get(`http://127.0.0.1:${from}`, { private: true })))
      assert.deepStrictEqual([incoming.status, heard()], [302, 0])
    })
  )
})

describe("a request that may reach private addresses", () => {
  it.live("reaches loopback, by address and by name", () =>
    Effect.gen(function* () {
      const port = yield* serve(
        Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => HttpServerResponse.text(headers.host ?? ""))
      )
      for (const host of ["127.0.0.1", "localhost", "2130706433"]) {
        const incoming = yield* over(({ carry }) => carry(get(`http://${host}:${port}`, { private: true })))
        assert.strictEqual(incoming.status, 200)
      }
    })
  )

  it.live("has to say so: the default is public addresses only", () =>
    Effect.gen(function* () {
      const { heard, port } = yield* bait
      const { private: _, ...unsaid } = get(`http://127.0.0.1:${port}`)
      const error = yield* over(({ carry }) => Effect.flip(carry(unsaid)))
      assert.deepStrictEqual([error.why, heard()], ["not sent", 0])
    })
  )
})

it.live("a request whose deadline passed while it waited for a connection is never sent", () =>
  Effect.gen(function* () {
    let heard = 0
    const arrived = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const port = yield* serve(
      Effect.gen(function* () {
        const response = HttpServerResponse.text(String(++heard))
        yield* Deferred.succeed(arrived, undefined)
        yield* Deferred.await(go)
        return response
      })
    )
    const to = get(`http://127.0.0.1:${port}`, { private: true, deadlineMillis: 15_000 })
    yield* over(
      ({ carry }) =>
        Effect.gen(function* () {
          const first = yield* Effect.forkChild(carry(to))
          yield* Deferred.await(arrived)
          const error = yield* Effect.flip(carry({ ...to, deadlineMillis: 50 }))
          assert.strictEqual(error.why, "not sent")
          yield* Deferred.succeed(go, undefined)
          assert.strictEqual((yield* Fiber.join(first)).status, 200)
          yield* Effect.sleep("100 millis")
          assert.strictEqual(heard, 1)
          assert.strictEqual((yield* carry(to)).status, 200)
          assert.strictEqual(heard, 2)
        }),
      { connections: 1 }
    )
  })
)
