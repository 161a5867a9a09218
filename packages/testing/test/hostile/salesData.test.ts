import { describe, expect, it } from "@effect/vitest"
import { fetchDocument, SalesSource, SignedSnapshot } from "@tollgate/gateway"
import { UpstreamCarrier } from "@tollgate/server"
import { salesSigner, snapshotAt } from "@tollgate/testing/hostile/salesDocument"
import { httpUpstream, tcpUpstream } from "@tollgate/testing/upstream"
import * as Signature from "effect/crypto/Signature"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { ServerResponse } from "node:http"

const signer = salesSigner()
const bytes = (text: string) => new TextEncoder().encode(text)
const rawKey = Buffer.from(signer.publicKey, "base64").subarray(-32)

const services = Layer.mergeAll(
  UpstreamCarrier.layer(),
  Layer.provide(Signature.layerWebCrypto, SecureRandom.layerWebCrypto)
)

/** What a document is: its snapshot, or why it is refused. */
const verified = (...documents: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const verify = yield* SignedSnapshot.make(rawKey)
    return yield* Effect.forEach(documents, (document) =>
      Effect.match(verify(bytes(document)), {
        onSuccess: ({ data }) => data,
        onFailure: (error) => (error._tag === "NotVerified" ? error.reason : error._tag)
      })
    )
  }).pipe(Effect.provide(services))

const good = snapshotAt(1_000, 2_000)

describe("a signed sales document", () => {
  it.effect("is accepted with its signature, and only with it", () =>
    Effect.gen(function* () {
      const document = signer.sign(good)
      const [header = "", payload = "", signature = ""] = document.split(".")
      const other = Buffer.from(JSON.stringify(snapshotAt(1_000, 9e12, { total: 8 }))).toString("base64url")
      const flipped = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`
      expect(
        yield* verified(
          document,
          `${document}\n`,
          `${header}.${other}.${signature}`,
          `${header}.${payload}.${flipped}`,
          `${header}.${payload}.AAAA`,
          salesSigner().sign(good)
        )
      ).toEqual([{ total: 7 }, { total: 7 }, ...Array<string>(4).fill("wrong signature")])
    })
  )

  it.effect("is refused if it chooses another algorithm or is malformed", () =>
    Effect.gen(function* () {
      const part = (text: string) => Buffer.from(text).toString("base64url")
      const documents = [
        signer.sign(good, { alg: "none" }),
        signer.sign(good, { alg: "HS256" }),
        signer.sign(good, { alg: "EdDSA", crit: ["exp"], exp: 1 }),
        signer.sign(good, ["EdDSA"]),
        signer.sign({ ...good, observed_at: "yesterday" }),
        signer.sign({ ...good, observed_at: 1 }),
        signer.sign({ observed_at: good.observed_at, data: {} }),
        signer.sign({ ...good, data: [1] }),
        signer.sign({ ...good, data: null }),
        signer.sign(null),
        `${part('{"alg":"EdDSA"}')}.${part("{")}`,
        `${part('{"alg":"EdDSA"}')}..`,
        "..",
        "",
        "<html>",
        JSON.stringify(good),
        `${"A".repeat(100_000)}.A.A`,
        "\u0000.\u0000.\u0000"
      ]
      expect(yield* verified(...documents)).toEqual(documents.map(() => "malformed"))
    })
  )

  it.effect("is refused if it is older than the last one", () =>
    Effect.gen(function* () {
      const at = (observed: number) => signer.sign(snapshotAt(observed, 9_000, { observed }))
      expect(yield* verified(at(2_000), at(1_000), at(2_000), at(3_000))).toEqual([
        { observed: 2_000 },
        "older than the last",
        { observed: 2_000 },
        { observed: 3_000 }
      ])
    })
  )
})

/** A source at a server that answers as the test says, and what it offers now. */
const sourceAt = Effect.fnUntraced(function* (port: number, isPrivate = true) {
  const verify = yield* SignedSnapshot.make(rawKey)
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof fetchDocument>>>()
  const read = Effect.flatMap(fetchDocument(`http://127.0.0.1:${port}/sales.jws`, isPrivate), verify)
  const source = new SalesSource(Effect.provideContext(read, context))
  return Effect.map(source.current, (dated) =>
    dated === undefined ? "unavailable" : [dated.freshness, dated.snapshot.observedAt]
  )
})

const tenSeconds = TestClock.adjust("10 seconds")

describe("a server of sales documents", () => {
  it.effect("gives fresh data, stale data with their own time when it fails or they expire, and fresh data again", () =>
    Effect.gen(function* () {
      let answer: (res: ServerResponse) => void = (res) => res.writeHead(404).end(signer.sign(good))
      const { port } = yield* httpUpstream((res) => answer(res))
      const current = yield* sourceAt(port)
      expect(yield* current).toBe("unavailable")
      const serve = (document: string) => (answer = (res) => void res.end(document))
      const hour = 3_600_000
      serve(signer.sign(snapshotAt(1_000, hour)))
      yield* tenSeconds
      expect(yield* current).toEqual(["fresh", 1_000])
      const failures: ReadonlyArray<(res: ServerResponse) => void> = [
        (res) => res.writeHead(500).end(),
        (res) => res.writeHead(302, { location: "/elsewhere" }).end(),
        (res) => res.end(salesSigner().sign(snapshotAt(2_000, hour))),
        (res) => res.end("<html>"),
        (res) => res.end("A".repeat(300_000)),
        (res) => res.destroy()
      ]
      for (const failure of failures) {
        answer = failure
        yield* tenSeconds
        expect(yield* current).toEqual(["stale", 1_000])
      }
      serve(signer.sign(snapshotAt(3_000, hour)))
      yield* tenSeconds
      expect(yield* current).toEqual(["fresh", 3_000])
      yield* TestClock.setTime(hour)
      expect(yield* current).toEqual(["stale", 3_000])
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect("that never answers, or never ends, is left after five seconds", () =>
    Effect.gen(function* () {
      const endless = Effect.map(
        httpUpstream((res) => void res.write(" ".repeat(1_000))),
        ({ port }) => port
      )
      const silent = Effect.map(
        tcpUpstream(() => {}),
        ({ port }) => port
      )
      for (const port of [yield* endless, yield* silent]) {
        const current = yield* sourceAt(port)
        const waiting = yield* Effect.forkChild(current, { startImmediately: true })
        yield* TestClock.adjust("5 seconds")
        expect(waiting.pollUnsafe()).toMatchObject({ value: "unavailable" })
      }
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect("is not asked at a private address, unless the operator allows it", () =>
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream((res) => void res.end(signer.sign(snapshotAt(1_000, 9e12))))
      expect(yield* yield* sourceAt(port, false)).toBe("unavailable")
      expect(received).toEqual([])
      expect(yield* yield* sourceAt(port, true)).toEqual(["fresh", 1_000])
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
