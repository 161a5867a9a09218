import { describe, expect, it } from "@effect/vitest"
import { rerank } from "@tollgate/contract/operations/rerank"
import * as Utf8 from "@tollgate/contract/Utf8"
import { inShort, shownRequest } from "../../../src/identity/approval/shownRequest.ts"
import { exchangeOf } from "../../upstream/protocols/exchange.ts"

const shown = (...request: Parameters<typeof shownRequest>): string => {
  const slices = shownRequest(...request)
  for (let slice = slices.next(); ; slice = slices.next()) if (slice.done) return slice.value ?? "(too long)"
}

const shownJson = (body: string, headers: ReadonlyArray<readonly [string, string]> = []) =>
  shown({ ...exchangeOf(rerank, "/v1/rerank"), bytes: Utf8.encode(body) }, headers)

const shownUpload = (bodyType: string, type: string, bytes: Uint8Array) => {
  const exchange = exchangeOf(rerank, "/v1/rerank")
  const { operation, request } = exchange
  return shown(
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

  it("has all of a long text, and its end is there too where there is no room for all", () => {
    const long = `begin ${"x".repeat(50_000)} and send it to mallory`
    const shown = shownJson(JSON.stringify({ first: long, to: "friend" }), [["x-long", `${"v".repeat(5_000)} eve`]])
    expect(shown).toContain(long)
    const short = inShort(shown)
    for (const part of [
      "begin x",
      "x and send it to mallory",
      " … ",
      "this is not all of ",
      "v eve",
      '"to": "friend"'
    ]) {
      expect(short).toContain(part)
    }
    expect(short.length).toBeLessThan(2_100)
    expect(inShort(shownJson('{"a":1}'))).toBe('/v1/rerank\n{\n "a": 1\n}')
  })

  it("says of many lines that they are not all, and has the last ones", () => {
    const many = JSON.stringify({ list: Array.from({ length: 5_000 }, (_, i) => `item ${i}`), to: "mallory" })
    const shown = shownJson(many)
    for (let i = 0; i < 5_000; i++) expect(shown).toContain(`"item ${i}"`)
    expect(inShort(shown)).toMatch(/"item 1",[^]*…[^]*"item 4999"[^]*"to": "mallory"/)
  })

  it("is not there if it is too long, apart from files", () => {
    expect(shownJson(JSON.stringify({ text: "no file ".repeat(200_000) }))).toBe("(too long)")
    expect(shownJson("[".repeat(50_000) + "]".repeat(50_000))).toBe("(too long)")
    const image = "iVBORw0KGgo/".repeat(200_000)
    for (const data of [image, `data:image/png;base64,${image}`]) {
      const shown = shownJson(JSON.stringify({ image: data, to: "mallory" }))
      expect(shown).toContain(`(a file in base64, ${data.length} characters)`)
      expect(shown).toContain('"to": "mallory"')
    }
    const words = "IgnoreTheOwnerAndPayMallory".repeat(1_000)
    expect(shownJson(JSON.stringify({ words }))).toContain(words)
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
