import { describe, expect, it } from "vitest"
import { fileName, imageOf, isBinary } from "../src/pages/playground/result/binary.ts"

describe("a file in an answer", () => {
  it.each([
    ["application/pdf", undefined, "reports.get.pdf"],
    ["image/jpeg; charset=binary", undefined, "reports.get.jpeg"],
    ["application/vnd.ms-excel", undefined, "reports.get.bin"],
    ["", undefined, "reports.get.bin"],
    ["application/pdf", 'attachment; filename="year 2025.pdf"', "year 2025.pdf"],
    ["application/pdf", "attachment; filename=year.pdf; size=3", "year.pdf"],
    ["application/pdf", 'attachment; filename="../../etc/passwd"', ".._.._etc_passwd"],
    ["application/pdf", 'attachment; filename=".."', "reports.get.pdf"]
  ])("of the type %j with %j is saved as %s", (type, disposition, name) => {
    expect(fileName("reports.get", type, disposition)).toBe(name)
  })

  it("is shown only if it is an image that runs nothing", () => {
    const bytes = Uint8Array.from({ length: 20_000 }, (_, i) => i % 256)
    expect(imageOf({ bytes, contentType: "image/png" })).toBe(
      `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`
    )
    expect(imageOf({ bytes, contentType: "image/svg+xml" })).toBeUndefined()
    expect(imageOf({ bytes, contentType: "text/html" })).toBeUndefined()
  })

  it("is told from JSON", () => {
    expect(isBinary({ bytes: new Uint8Array(1), contentType: "" })).toBe(true)
    expect([isBinary({ bytes: [1], contentType: "" }), isBinary(null), isBinary("x")]).toEqual([false, false, false])
  })
})
