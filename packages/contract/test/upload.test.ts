import { writeBody } from "@tollgate/contract/Upload"
import * as Result from "effect/Result"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const written = (type: string, value: unknown) => Result.getOrThrow(writeBody(type, value))

/** Read by the parser of the platform. */
const parsed = async (value: object) => {
  const { bytes, contentType } = written("multipart/form-data", value)
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } }).formData()
  return Promise.all(
    [...form].map(async ([name, part]) =>
      typeof part === "string"
        ? [name, part]
        : [name, part.name, part.type, Buffer.from(await part.arrayBuffer()).toString("base64")]
    )
  )
}

describe("a form of several parts", () => {
  it("has texts, files, lists and JSON", async () => {
    const bytes = new Uint8Array([0, 255, 13, 10, 45, 45])
    expect(
      await parsed({
        title: "a b",
        size: 3,
        yes: true,
        no: undefined,
        none: null,
        tags: ["x", "y"],
        plain: bytes,
        named: { bytes, contentType: "image/png", filename: 'a"b\r\n.png' },
        json: { base64: "AP8=", content_type: "audio/wav", filename: "a.wav" }
      })
    ).toEqual([
      ["title", "a b"],
      ["size", "3"],
      ["yes", "true"],
      ["tags", "x"],
      ["tags", "y"],
      ["plain", "plain", "application/octet-stream", "AP8NCi0t"],
      ["named", 'a"b\r\n.png', "image/png", "AP8NCi0t"],
      ["json", "a.wav", "audio/wav", "AP8="]
    ])
  })

  it("is the same each time, and no part can end it", async () => {
    const texts = fc.oneof(
      fc.string(),
      fc.nat(30).map((number) => `\r\n--tollgate-${number}--\r\nContent-Disposition: form-data; name="admin"\r\n\r\n1`)
    )
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { maxLength: 40 }), async (values) => {
        const file = Buffer.from(values.join("--tollgate-"))
        expect(await parsed({ file })).toEqual([["file", "file", "application/octet-stream", file.toString("base64")]])
        expect(written("multipart/form-data", { file })).toEqual(written("multipart/form-data", { file }))
      }),
      { numRuns: 200 }
    )
  })

  it("takes no header of a file's type or name", async () => {
    const file = { base64: "AA==", content_type: "text/plain\r\nx-evil: 1", filename: 'x"\r\nx-evil: 1' }
    const { bytes } = written("multipart/form-data", { 'f"\r\nx-evil: 1': file })
    expect(new TextDecoder().decode(bytes)).not.toMatch(/^x-evil/m)
  })
})

describe("a body of bytes", () => {
  it("has the operation's type, or the file's own where any is taken", () => {
    expect(written("application/octet-stream", { base64: "AP8=", content_type: "image/png" })).toEqual({
      bytes: new Uint8Array([0, 255]),
      contentType: "application/octet-stream"
    })
    expect(written("image/*", { base64: "AP8=", content_type: "image/png" }).contentType).toBe("image/png")
    expect(written("*/*", new Uint8Array([1])).contentType).toBe("application/octet-stream")
    expect(written("text/csv", "a,b")).toEqual({ bytes: new Uint8Array([97, 44, 98]), contentType: "text/csv" })
  })

  it("is refused if it is none", () => {
    for (const value of [{}, { base64: "!" }, 3, null, ["a"]]) {
      expect(Result.isFailure(writeBody("image/png", value))).toBe(true)
    }
    expect(Result.isFailure(writeBody("multipart/form-data", "x"))).toBe(true)
  })
})
