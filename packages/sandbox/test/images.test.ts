import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inflateSync, crc32 } from "node:zlib"
import { bills, talk, withBillingLog } from "./talk.ts"

const path = "/v1/images/generations"
type Images = { readonly data: ReadonlyArray<{ readonly b64_json: string }> }
const paint = (body: object) =>
  Effect.map(talk<Images>(path, body), (answer) => answer.body.data.map(({ b64_json }) => b64_json))

/** Chunks by type. Checks each chunk's CRC. */
const chunksOf = (png: Buffer) => {
  const chunks = new Map<string, Buffer>()
  expect([...png.subarray(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10])
  for (let at = 8; at < png.length;) {
    const end = at + 8 + png.readUInt32BE(at)
    chunks.set(png.toString("latin1", at + 4, at + 8), png.subarray(at + 8, end))
    expect(png.readUInt32BE(end)).toBe(crc32(png.subarray(at + 4, end)))
    at = end + 4
  }
  return chunks
}

describe("images", () => {
  it.effect("are valid PNG files that depend on the prompt", () =>
    withBillingLog(
      Effect.gen(function* () {
        const [red, again, blue] = [
          yield* paint({ prompt: "a red boat" }),
          yield* paint({ prompt: "a red boat", model: "sandbox" }),
          yield* paint({ prompt: "a blue boat" })
        ]
        expect(red).toEqual(again)
        expect(red).not.toEqual(blue)
        const chunks = chunksOf(Buffer.from(red[0]!, "base64"))
        expect([...chunks.keys()]).toEqual(["IHDR", "IDAT", "IEND"])
        const side = chunks.get("IHDR")!.readUInt32BE(0)
        expect(inflateSync(chunks.get("IDAT")!).length).toBe(side * (3 * side + 1))
      })
    )
  )

  it.effect("up to four differ and are billed as one request", () =>
    withBillingLog(
      Effect.gen(function* () {
        expect(new Set(yield* paint({ prompt: "a boat", n: 4 })).size).toBe(4)
        expect(yield* bills).toEqual([{ operation: "images.generate", billed: { requests: 1 } }])
        for (const body of [{}, { prompt: "" }, { prompt: "x", n: 5 }, { prompt: "x", n: 0 }, { prompt: 1 }])
          expect((yield* talk(path, body)).status).toBe(400)
        expect((yield* talk(path, { prompt: "x", model: "other" })).status).toBe(404)
        expect(yield* bills).toHaveLength(1)
      })
    )
  )
})
