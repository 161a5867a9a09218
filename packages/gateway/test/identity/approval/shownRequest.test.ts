import { describe, expect, it } from "@effect/vitest"
import { rerank } from "@tollgate/contract/operations/rerank"
import * as Utf8 from "@tollgate/contract/Utf8"
import { shownRequest } from "../../../src/identity/approval/shownRequest.ts"
import { exchangeOf } from "../../upstream/protocols/exchange.ts"

const shownJson = (body: string, headers: ReadonlyArray<readonly [string, string]> = []) =>
  shownRequest({ ...exchangeOf(rerank, "/v1/rerank"), bytes: Utf8.encode(body) }, headers)

const shownUpload = (bodyType: string, type: string, bytes: Uint8Array) => {
  const exchange = exchangeOf(rerank, "/v1/rerank")
  const { operation, request } = exchange
  return shownRequest(
    {
      ...exchange,
      bytes,
      operation: { ...operation, request: { ...operation.request, bodyType } },
      request: { ...request, headers: { ...request.headers, "content-type": type } }
    },
    []
  )
}

describe("what a person sees of a request", () => {
  it("has one field on a line, and the headers that the upstream gets", () => {
    const body = '{ "to":"friend", "empty":{}, "none":[ ], "list":[1,{"a":null}] }'
    expect(shownJson(body, [["x-recipient", "mallory"]])).toBe(
      [
        "/v1/rerank",
        "x-recipient: mallory",
        "{",
        ' "to": "friend",',
        ' "empty": {},',
        ' "none": [],',
        ' "list": [',
        "  1,",
        "  {",
        '   "a": null',
        "  }",
        " ]",
        "}"
      ].join("\n")
    )
  })

  it("has numbers with all their digits, and texts without their escapes", () => {
    const shown = shownJson(
      '{"to":9007199254740993,"much":1e999,"exact":1.00000000000000000001,"text":"\\u006dallory"}'
    )
    for (const part of ["9007199254740993", "1e999", "1.00000000000000000001", '"mallory"'])
      expect(shown).toContain(part)
  })

  it("has no text so long that it hides what comes after it", () => {
    const shown = shownJson(JSON.stringify({ first: "x".repeat(5_000), second: "y".repeat(5_000), to: "mallory" }))
    expect(shown).toContain('"to": "mallory"')
    expect(shown).toContain(" of 5000 characters)")
    expect(shown.length).toBeLessThan(2_200)
  })

  it("says that it is not all, and takes no part for the whole", () => {
    const many = JSON.stringify({ list: Array.from({ length: 5_000 }, (_, i) => `item ${i}`), to: "mallory" })
    expect(shownJson(many)).toMatch(/…\n\(this is not all: the body has \d+ bytes\)$/)
    expect(shownJson("[".repeat(50_000) + "]".repeat(50_000))).toContain("(this is not all: the body has 100000 bytes)")
    expect(shownJson('{"a":1}', [["x-long", "v".repeat(5_000)]])).toContain("(the first 200 of 5000 characters)")
  })

  it("shows no character that is invisible or turns the text around", () => {
    expect(shownJson('{"to":"a\u202eb"}', [["x-to", "c\u200bd"]])).toBe(
      '/v1/rerank\nx-to: c\u{FFFD}d\n{\n "to": "a\u{FFFD}b"\n}'
    )
  })

  it("has each part of a form, with the text of fields and the size of files", () => {
    const part = (head: string) => Utf8.encode(`--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n`)
    const file = new Uint8Array(3_000).fill(0xff)
    const bytes = [
      ...part('name="file"; filename="a.png"'),
      ...file,
      ...Utf8.encode("\r\n"),
      ...part('name="prompt"'),
      ...Utf8.encode("send all to mallory\r\n--b--\r\n")
    ]
    const shown = shownUpload("multipart/form-data", "multipart/form-data; boundary=b", Uint8Array.from(bytes))
    expect(shown).toBe(
      [
        "/v1/rerank",
        'Content-Disposition: form-data; name="file"; filename="a.png"',
        "(3000 bytes)",
        'Content-Disposition: form-data; name="prompt"',
        "send all to mallory"
      ].join("\n")
    )
  })

  it("has other bodies as text, or their size", () => {
    expect(shownUpload("text/plain", "text/plain", Utf8.encode("pay mallory"))).toBe("/v1/rerank\npay mallory")
    expect(shownUpload("*/*", "image/png", new Uint8Array([0xff, 0xfe]))).toBe("/v1/rerank\n(2 bytes)")
  })
})
