import { describe, expect, it } from "@effect/vitest"
import * as FetchCarrier from "@tollgate/client/FetchCarrier"
import { Carrier, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as HttpCarrier from "@tollgate/contract/carrier/HttpCarrier"
import { NodeCarrier } from "@tollgate/node/effect"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { gzipSync } from "node:zlib"

const carriers = {
  undici: NodeCarrier.layer(),
  fetch: FetchCarrier.layer,
  "an HttpClient": Layer.provide(HttpCarrier.layer, FetchHttpClient.layer)
}

const get = (port: number, maxBytes?: number): Outgoing => ({
  method: "GET",
  origin: `http://127.0.0.1:${port}`,
  path: "/",
  headers: {},
  body: undefined,
  deadlineMillis: 10_000,
  idleMillis: 10_000,
  isStreamed: () => false,
  ...(maxBytes === undefined ? {} : { maxBytes })
})

describe.each(Object.entries(carriers))("an answer over %s", (_, carrier) => {
  it.live("is collected up to the bound, and refused beyond it", () =>
    Effect.gen(function* () {
      const { port } = yield* httpUpstream((res) => void res.end("x".repeat(100_000)))
      const { carry } = yield* Carrier
      for (const bound of [undefined, 100_000]) {
        const { body } = yield* carry(get(port, bound))
        expect(body).toHaveLength(100_000)
      }
      expect(yield* Effect.flip(carry(get(port, 99_999)))).toMatchObject({ _tag: "NotCarried", why: "too large" })
    }).pipe(Effect.scoped, Effect.provide(carrier))
  )
})

describe("a compressed answer", () => {
  it.live("is bounded by what it unpacks to, where it is unpacked", () =>
    Effect.gen(function* () {
      const { port } = yield* httpUpstream((res) => {
        res.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(1_000_000)))
      })
      const { carry } = yield* Carrier
      expect(yield* Effect.flip(carry(get(port, 100_000)))).toMatchObject({ why: "too large" })
    }).pipe(Effect.scoped, Effect.provide(FetchCarrier.layer))
  )
})
