import { describe, expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { bundleWorker } from "@tollgate/testing/client/bundle"
import { type Compatibility, serve, workerd } from "@tollgate/testing/client/workerd"
import { bindings, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

if (workerd === undefined) console.log("Not run: the client in Cloudflare Workers. Put workerd of npm on the path.")

/** On a Free key: five streams at a time. */
const gateway = Host.layerNode.pipe(
  Layer.provideMerge(TestGateway.layer({ operations: priced, bindings, sandbox: "all", limits: true }))
)

// What Workers do with the options of fetch, promises of other requests and Node's modules depends on the date.
const compatibilities: ReadonlyArray<Compatibility> = [
  { date: "2022-03-21" },
  { date: "2024-01-01", flags: ["nodejs_compat"] },
  { date: "2026-11-01", flags: ["no_nodejs_compat"] },
  { date: "2026-11-01" }
]

/** A Worker with one client for all requests. Returns how to request a path of it. */
const worker = Effect.fnUntraced(function* (compatibility: Compatibility) {
  const { baseUrl } = yield* Host
  const script = yield* Effect.promise(() => bundleWorker({ baseUrl, credential: key }))
  const address = yield* serve(script, compatibility)
  return (path: string): Effect.Effect<string> =>
    Effect.promise(async (signal) => (await fetch(address + path, { signal })).text())
})

const many = <A>(count: number, ask: Effect.Effect<A>) =>
  Effect.all(
    Array.from({ length: count }, () => ask),
    { concurrency: "unbounded" }
  )

describe.skipIf(workerd === undefined)("a Worker whose requests share a client", () => {
  for (const compatibility of compatibilities) {
    const named = [compatibility.date, ...(compatibility.flags ?? [])].join(", ")

    it.live(`answers requests in sequence and at once (${named})`, () =>
      Effect.gen(function* () {
        const ask = yield* worker(compatibility)
        for (const path of ["/call", "/stream", "/call", "/chat", "/stream"]) expect(yield* ask(path)).toBe("1")
        // Some wait until a stream of another request ends, and some requests are left by their callers.
        const left = many(4, Effect.timeoutOption(ask("/stream"), "50 millis"))
        const [all] = yield* Effect.all([many(12, ask("/stream")), left], { concurrency: "unbounded" })
        expect(all).toEqual(Array(12).fill("1"))
        expect(yield* ask("/streams")).toBe("8")
        expect(yield* many(3, ask("/search"))).toEqual(["1", "1", "1"])
      }).pipe(Effect.provide(gateway))
    )

    it.live(`reads eight streams at once in its first request (${named})`, () =>
      Effect.gen(function* () {
        const ask = yield* worker(compatibility)
        expect(yield* ask("/streams")).toBe("8")
      }).pipe(Effect.provide(gateway))
    )
  }
})
