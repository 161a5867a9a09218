import { createClient } from "@tollgate/node"
import { call } from "@tollgate/client/discovered"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { fileOf } from "../../src/codegen/file.ts"
import { folder } from "../program.ts"
import { get, imported, openapi } from "./documents.ts"
import { type Heard, sellFrom } from "./selling.ts"
import { useTool } from "./useTool.ts"

const binary = { type: "string", format: "binary" }
const answers = (type: string, schema?: unknown) =>
  get({
    parameters: [{ name: "type", in: "query", schema: { type: "string" } }],
    responses: { "200": { description: "ok", content: { [type]: schema === undefined ? {} : { schema } } } }
  })

const document = openapi({
  "/report": answers("application/pdf", binary),
  "/anything": answers("*/*", binary),
  "/picture": answers("image/*", binary),
  "/voice": answers("audio/wav"),
  "/file": answers("application/octet-stream"),
  "/page": answers("text/html")
})

/** What is said to be a picture or a sound is one only if it begins as one does. */
const heads: Readonly<Record<string, string>> = { "/picture": "\x89PNG\r\n\x1a\n", "/voice": "RIFF\0\0\0\0WAVE" }

const bytesOf = (path: string): Uint8Array =>
  Uint8Array.from([...Buffer.from(heads[path] ?? "", "latin1"), ...Array.from({ length: 300 }, (_, i) => i % 256)])

const types: Readonly<Record<string, string>> = {
  "/report": "application/pdf",
  "/anything": "application/zip",
  "/picture": "image/png",
  "/voice": "audio/wav",
  "/file": "application/octet-stream",
  "/page": "text/html; charset=utf-8"
}

const answer = (
  { url }: Heard,
  response: { setHeader: (name: string, value: string) => { end: (b: Buffer) => void } }
) => {
  const [path = "", asked = ""] = url.split("?type=")
  response
    .setHeader("content-type", asked === "" ? (types[path] ?? "") : decodeURIComponent(asked))
    .end(Buffer.from(bytesOf(path)))
}

describe("a file in an answer", () => {
  it("is imported with its type, and as any bytes where the document names none", () => {
    expect(imported(document).operations.map(({ answer }) => answer)).toEqual(
      ["application/pdf", "*/*", "image/*", "audio/wav", "application/octet-stream", "text/html"].map((type) => ({
        type
      }))
    )
    const json = imported(openapi({ "/a": answers("*/*", { type: "object" }) }))
    expect(json.operations[0]?.answer).toEqual({ schema: { type: "object" } })
    const wrong = imported(openapi({ "/a": answers("application/json", binary) }))
    expect(wrong.operations[0]?.answer).toEqual({ type: "*/*" })
  })

  describe("of an imported operation", () => {
    let sold: Awaited<ReturnType<typeof sellFrom>>
    beforeAll(async () => {
      const path = join(folder(), "files.json")
      writeFileSync(path, JSON.stringify(document))
      sold = await sellFrom(answer, path, "--price", "0.002")
    })

    it.each(Object.entries(types))("%s is charged and reaches a program whole, with its type", async (path, type) => {
      const response = await fetch(`${sold.address}/apis/v1/api${path}`, {
        headers: { authorization: `Bearer ${sold.key}` }
      })
      expect(response.headers.get("x-tollgate-cost-micros-usd")).toBe("2000")
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytesOf(path))
      const client = createClient({ baseUrl: sold.address, credential: sold.key })
      const answered = await call<{ bytes: Uint8Array; contentType: string }>(client, `api.get_${path.slice(1)}`)
      expect(answered.contentType).toBe(type)
      expect(new Uint8Array(answered.bytes)).toEqual(bytesOf(path))
      await client.close()
    })

    it("of another type than the declared one costs nothing", async () => {
      expect(await sold.call("GET", "/picture?type=text%2Fhtml")).toMatch(/^502 /)
      expect(await sold.call("GET", "/report?type=image%2Fpng")).toMatch(/^502 /)
      expect(await sold.call("GET", "/anything?type=text%2Fhtml")).toMatch(/^502 /)
    })

    it.each([
      ["picture", { type: "image", mimeType: "image/png", data: Buffer.from(bytesOf("/picture")).toString("base64") }],
      ["voice", { type: "audio", mimeType: "audio/wav", data: Buffer.from(bytesOf("/voice")).toString("base64") }],
      [
        "report",
        {
          type: "resource",
          resource: {
            uri: expect.stringMatching(/^answer:./) as unknown,
            mimeType: "application/pdf",
            blob: Buffer.from(bytesOf("/report")).toString("base64")
          }
        }
      ]
    ])("%s is a block that an agent sees, and is not in its text", async (name, block) => {
      const input = { operation_id: `api.get_${name}`, arguments: {}, max_price_usd: 0.01 }
      const one = await useTool(sold, "use", input)
      expect(one.content).toEqual([{ type: "text", text: expect.not.stringContaining('"body"') as unknown }, block])
      const several = await useTool(sold, "batch_use", { calls: [input, input], max_total_usd: 0.02 })
      expect(several.content.slice(1)).toEqual([block, block])
    })

    it("is bytes with a type in generated code", async () => {
      const file = fileOf({ document: await sold.contract(), hash: "0" }, "api.get_report")
      expect(file).toContain("export type ApiGetReportAnswer = BinaryAnswer")
      expect(file).toContain('answer: "bytes"')
      expect(file).toMatch(/import \{[^}]*type BinaryAnswer/)
    })
  })
})
