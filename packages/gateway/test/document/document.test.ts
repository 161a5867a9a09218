import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { acceptedCodings, fixedDocument } from "../../src/document/FixedDocument.ts"
import type { Compress } from "../../src/document/Compression.ts"

describe("Accept-Encoding", () => {
  it.each([
    ["", []],
    ["br", ["br"]],
    ["gzip, deflate, br, zstd", ["br", "gzip"]],
    ["GZIP;q=0.5", ["gzip"]],
    ["br; q=0, gzip", ["gzip"]],
    ["br;q=0.000", []],
    ["*", ["br", "gzip"]],
    ["*, br;q=0", ["gzip"]],
    ["*;q=0", []],
    ["x-br, brotli", []]
  ])("%s", (header, accepted) => expect(acceptedCodings(header)).toEqual(accepted))
})

const long = new Uint8Array(2_000).fill(97)

const documentOf = (bytes: Uint8Array) => {
  const made: Array<string> = []
  const compress: Compress = (coding) =>
    Effect.sync(() => {
      made.push(coding)
      return new TextEncoder().encode(coding)
    })
  return Effect.map(fixedDocument("h", bytes, compress), (document) => ({ document, made }))
}

describe("a document", () => {
  it.effect("is compressed once for each compression that is asked for", () =>
    Effect.gen(function* () {
      const { document, made } = yield* documentOf(long)
      for (let i = 0; i < 3; i++) {
        const { bytes, headers } = yield* document.choose({ "accept-encoding": "gzip" })
        expect(new TextDecoder().decode(bytes)).toBe("gzip")
        expect(headers).toEqual({ etag: '"h-gzip"', vary: "Accept-Encoding", "content-encoding": "gzip" })
        expect(yield* document.choose({})).toEqual({
          headers: { etag: '"h"', vary: "Accept-Encoding" },
          bytes: long
        })
      }
      expect(made).toEqual(["gzip"])
    })
  )

  it.effect("is sent as it is if it is short", () =>
    Effect.gen(function* () {
      const { document } = yield* documentOf(new Uint8Array(100))
      const { headers } = yield* document.choose({ "accept-encoding": "br" })
      expect(headers).toEqual({ etag: '"h"', vary: "Accept-Encoding" })
    })
  )

  it.effect.each([
    ["br", '"h-br"', '"h-br"'],
    ["br", 'W/"h-br"', '"h-br"'],
    ["br", '"other", "h-br"', '"h-br"'],
    // Whoever accepts a compression also accepts the plain bytes.
    ["br", '"h"', '"h"'],
    ["br", "*", '"h-br"'],
    ["gzip", '"h-br"', undefined],
    ["", '"h-br"', undefined],
    ["", '"h"', '"h"'],
    ["", '"other"', undefined]
  ] as const)("accepting “%s”, and having %s: not sent again as %s", ([accepted, known, etag]) =>
    Effect.gen(function* () {
      const { document } = yield* documentOf(long)
      const chosen = yield* document.choose({ "accept-encoding": accepted, "if-none-match": known })
      expect(chosen.bytes === undefined ? chosen.headers.etag : undefined).toBe(etag)
    })
  )
})
