import { describe, expect, it } from "@effect/vitest"
import { imageEdit } from "@tollgate/contract/operations/imageEdit"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import { readForm } from "../../src/internal/form.ts"

const type = "multipart/form-data; boundary=B"
const read = (text: string, contentType = type) => readForm(Utf8.encode(text), contentType, imageEdit.request.body)
const part = (name: string, value: string, more = "") =>
  `--B\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`

describe("a form", () => {
  it("is its texts, numbers as they are declared, and the sizes of its files", () => {
    const text = `${part("model", "a")}${part("n", "2")}${part("user", "7")}${part("stream", "false")}${part("image[]", "\n\r12", '; filename="a\\"b.png"\r\nContent-Type: image/png')}${part("image[]", "", '; filename=""')}--B--\r\n`
    const form = read(text)
    expect(form?.fields).toEqual({
      model: "a",
      n: 2,
      user: "7",
      stream: false,
      image: [{ bytes: 4 }, { bytes: 0 }]
    })
    expect(text.slice(form?.modelAt?.start, form?.modelAt?.end)).toBe("a")
  })

  it("is read as undici, and so Node, writes it", async () => {
    const data = new FormData()
    data.append("model", "ä model")
    data.append("prompt", "--B\r\n two lines")
    data.append("image", new Blob([Uint8Array.from([13, 10, 45, 45])]), 'a "name".png')
    const request = new Request("http://localhost", { method: "POST", body: data })
    const bytes = new Uint8Array(await request.arrayBuffer())
    const form = readForm(bytes, request.headers.get("content-type") ?? "", imageEdit.request.body)
    expect(form?.fields).toEqual({ model: "ä model", prompt: "--B\r\n two lines", image: { bytes: 4 } })
  })

  const model = part("model", "a")
  it.each([
    ["nothing", ""],
    ["no end", model],
    ["a preamble", `hello\r\n${model}--B--\r\n`],
    ["an epilogue", `${model}--B--\r\n${part("model", "dear")}--B--`],
    ["a name twice", `${model}${part("model", "dear")}--B--`],
    ["a name and a list of it", `${model}${part("model[]", "dear")}--B--`],
    ["a list and its name", `${part("n[]", "9")}${part("n", "1")}--B--`],
    ["line feeds alone", `${model}--B--`.replaceAll("\r", "")],
    [
      "a line feed alone before a boundary",
      `${part("prompt", 'x\n--B\r\nContent-Disposition: form-data; name="model"\r\n\r\ndear')}--B--`
    ],
    ["a boundary with more behind it", `${part("prompt", "x\r\n--Bx")}--B--`],
    ["a boundary with a space behind it", `--B \r\n${model.slice(5)}--B--`],
    ["a boundary at once after a head", `--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n--B--`],
    ["a name in another encoding", part("x", "dear", "; name*=UTF-8''model") + "--B--"],
    [
      "two dispositions",
      `--B\r\nContent-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="model"\r\n\r\nb\r\n--B--`
    ],
    ["a folded line", `--B\r\nContent-Disposition: form-data;\r\n name="model"\r\n\r\nb\r\n--B--`],
    ["base64", part("model", "ZGVhcg==", "\r\nContent-Transfer-Encoding: base64") + "--B--"],
    ["no head", "--B\r\n\r\nb\r\n--B--"],
    ["a long head", part("a", "b", `\r\nContent-Type: ${"x".repeat(3_000)}`) + "--B--"],
    ["a thousand parts", Array.from({ length: 1_000 }, (_, i) => part(`p${i}`, "1")).join("") + "--B--"]
  ])("that readers could read differently is none: %s", (_, text) => expect(read(text)).toBeUndefined())

  it("whose boundary readers could take for different ones is none", () => {
    const text = `${model}--B--`
    expect(read(text)).toBeDefined()
    expect(read(text, 'multipart/form-data; boundary="B"; charset=utf-8')).toBeDefined()
    for (const wrong of [
      "multipart/form-data",
      "multipart/form-data; boundary=B; boundary=C",
      "multipart/form-data; boundary=",
      'multipart/form-data; boundary="B',
      "multipart/form-data; boundary*=B; boundary=B",
      'multipart/form-data; x="; boundary=B"; boundary=C',
      "multipart/form-data; boundary=B C"
    ])
      expect(read(text, wrong), wrong).toBeUndefined()
  })

  it("of any bytes neither fails nor takes long", () => {
    const piece = fc.constantFrom(
      "--B",
      "\r\n",
      "\n",
      "--",
      ";",
      '"',
      'name="model"',
      "Content-Disposition: form-data",
      ": ",
      "x"
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const form = read(pieces.join(""))
        if (form !== undefined) expect(pieces.join("")).toContain("--B--")
      })
    )
    const large = `${part("image", "\n--".repeat(1_000_000), '; filename="a"')}--B--`
    expect(read(large)?.fields).toEqual({ image: { bytes: 3_000_000 } })
  })
})
