import { writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { beforeAll, describe, expect, it } from "vitest"
import { folder } from "../program.ts"
import { get, openapi } from "./documents.ts"
import { sellFrom } from "./selling.ts"

const ok = { "200": { description: "ok", content: { "application/json": { schema: { type: "object" } } } } }

const document = openapi({
  "/rows/{id}": get({
    parameters: [
      { name: "id", in: "path", required: true, schema: { type: "string" } },
      { name: "limit", in: "query", schema: { type: "integer", maximum: 10 } },
      { name: "If-None-Match", in: "header", schema: { type: "string" } },
      { name: "if-modified-since", in: "header", schema: { type: "string" } }
    ],
    responses: ok
  }),
  "/rows": {
    post: {
      requestBody: {
        required: true,
        content: { "application/json": { schema: { type: "object", properties: { limit: { type: "integer" } } } } }
      },
      responses: ok
    }
  }
})

const bodyOf = JSON.stringify({ rows: [1, 2, 3], text: "x".repeat(100) })

/** A server that knows ranges, conditions and forms, as real ones do. */
let sold: Awaited<ReturnType<typeof sellFrom>>
beforeAll(async () => {
  const path = join(folder(), "rows.json")
  writeFileSync(path, JSON.stringify(document))
  sold = await sellFrom(
    ({ headers }, response) => {
      const type = headers.accept?.includes("xml") ? "application/xml" : "application/json"
      if (headers["if-none-match"] !== undefined || headers["if-modified-since"] !== undefined) {
        return void response.writeHead(304, { etag: '"a"' }).end()
      }
      if (headers.range !== undefined) {
        return void response.writeHead(206, { "content-type": type, "content-range": "bytes 0-9/99" }).end("[1,2,3,4]")
      }
      response.writeHead(200, { "content-type": type, etag: '"a"' }).end(bodyOf)
    },
    path,
    "--price",
    "0.002"
  )
})

/** Sends bytes as they are, and returns the whole answer. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(sold.address).port), "127.0.0.1", () => socket.write(text, "latin1"))
    let heard = ""
    socket.setTimeout(5_000, () => socket.destroy())
    socket.on("data", (chunk) => (heard += chunk.toString("latin1")))
    socket.on("close", () => resolve(heard))
    socket.on("error", reject)
  })

const request = (line: string, headers: ReadonlyArray<string> = [], body = "") =>
  raw(
    [line, "Host: gateway", `Authorization: Bearer ${sold.key}`, "Connection: close", ...headers, "", body].join("\r\n")
  )

const judged = (answer: string) => ({
  status: Number(/^HTTP\/1\.\d (\d{3})/.exec(answer)?.[1]),
  cost: /x-tollgate-cost-micros-usd: (\d+)/i.exec(answer)?.[1] ?? "0"
})

const rows = "/apis/v1/api/rows"

/** Each is carried and paid, or refused and free. Nothing else. */
const attack = async (line: string, headers: ReadonlyArray<string> = [], body = "") => {
  const before = sold.requests.length
  const { cost, status } = judged(await request(line, headers, body))
  const heard = sold.requests.slice(before)
  return { status, cost, heard }
}

describe("a stranger gets nothing for free, and pays for nothing", () => {
  it.each([
    ["a range", ["Range: bytes=0-9"]],
    ["a condition", ['If-None-Match: "a"']],
    ["a date", ["If-Modified-Since: Sun, 06 Nov 2050 08:49:37 GMT"]],
    [
      "another method in a header",
      ["X-HTTP-Method-Override: DELETE", "X-Method-Override: DELETE", "X-HTTP-Method: PUT"]
    ],
    ["another form", ["Accept: application/xml"]],
    ["another address in a header", ["X-Original-URL: /admin", "X-Rewrite-URL: /admin", "X-Forwarded-Host: evil"]],
    ["headers that are listed for removal", ["Connection: close, authorization, content-length"]],
    ["a cookie", ["Cookie: session=1"]]
  ])("by %s: the upstream does not get it, and the call costs its price", async (_, headers) => {
    const { cost, heard, status } = await attack(`GET ${rows}/7 HTTP/1.1`, headers)
    expect([status, cost, heard.length]).toEqual([200, "2000", 1])
    const [got] = heard
    expect([got?.method, got?.url]).toEqual(["GET", "/rows/7"])
    for (const name of headers.map((line) => line.split(":")[0]?.toLowerCase() ?? "")) {
      if (name !== "accept" && name !== "connection") expect(got?.headers[name], name).toBeUndefined()
    }
  })

  it.each([
    "?LIMIT=99",
    "?limit=99",
    "?limit=1&limit=99",
    "?limit[]=99",
    "?limit%5B%5D=99",
    "?limit%00=99",
    "?%6cimit=99",
    "?limit=1;limit=99",
    "?limit=1%26limit=99",
    "?other=1",
    "?limit.x=1",
    "?limit=%2099",
    "?limit=1e9",
    "?&limit=11",
    "?limit=+99",
    "?limit=0x63"
  ])("by the query %s: refused, free, and not sent", async (query) => {
    const { cost, heard, status } = await attack(`GET ${rows}/7${query} HTTP/1.1`)
    expect([status, cost, heard]).toEqual([400, "0", []])
  })

  it.each([
    "/..%2f..%2fadmin",
    "/%2e%2e",
    "/..",
    "/7/../../admin",
    "/7;limit=99",
    "/7%3Flimit=99",
    "/7%23",
    "/%00",
    "//7",
    "/7/"
  ])("by the path %s: it stays in its segment, or is refused and free", async (path) => {
    const { cost, heard, status } = await attack(`GET ${rows}${path} HTTP/1.1`)
    if (status === 200) {
      expect([cost, heard.length]).toEqual(["2000", 1])
      expect(heard[0]?.url).toMatch(/^\/rows\/[^/?#]+$/)
      expect(heard[0]?.url).not.toMatch(/^\/rows\/(?:\.|%2e){1,2}$/i)
    } else {
      expect([400, 404]).toContain(status)
      expect([cost, heard]).toEqual(["0", []])
    }
  })

  it.each(["HEAD", "OPTIONS", "TRACE", "PUT", "PROPFIND", "get", "QUERY"])(
    "by the method %s: refused or answered here, free, and not sent",
    async (method) => {
      const { cost, heard, status } = await attack(`${method} ${rows}/7 HTTP/1.1`)
      expect([cost, heard]).toEqual(["0", []])
      expect(status === 204 || (status >= 400 && status < 500)).toBe(true)
    }
  )

  it.each([
    [
      "a compressed body",
      ["Content-Type: application/json", "Content-Encoding: gzip"],
      gzipSync("{}").toString("latin1")
    ],
    ["two lengths", ["Content-Type: application/json", "Content-Length: 2", "Content-Length: 3"], "{}x"],
    [
      "a length and chunks",
      ["Content-Type: application/json", "Content-Length: 2", "Transfer-Encoding: chunked"],
      "0\r\n\r\n"
    ],
    ["a form", ["Content-Type: application/x-www-form-urlencoded"], "limit=99"],
    ["a name twice", ["Content-Type: application/json"], '{"limit":1,"limit":99}'],
    ["no body", ["Content-Type: application/json", "Content-Length: 0"], ""]
  ])("by %s: refused, free, and not sent", async (_, headers, body) => {
    const isMeasured = headers.some((line) => /^(?:content-length|transfer)/i.test(line))
    const length = isMeasured ? [] : [`Content-Length: ${body.length}`]
    const { cost, heard, status } = await attack(`POST ${rows} HTTP/1.1`, [...headers, ...length], body)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect([cost, heard]).toEqual(["0", []])
  })

  it("by extensions of chunks and trailers: the body alone is sent, and paid", async () => {
    const body = '2;limit=99;a="b"\r\n{}\r\n0;last\r\nX-Limit: 99\r\nAuthorization: Bearer other\r\n\r\n'
    const headers = ["Content-Type: application/json", "Transfer-Encoding: chunked", "Trailer: X-Limit"]
    const { cost, heard, status } = await attack(`POST ${rows} HTTP/1.1`, headers, body)
    expect([status, cost, heard.map(({ body }) => body.toString())]).toEqual([200, "2000", ["{}"]])
    expect(heard[0]?.headers["x-limit"]).toBeUndefined()
  })

  it("by HTTP/1.0, or an address with a host: it is the same call", async () => {
    for (const line of [`GET ${rows}/7 HTTP/1.0`, `GET http://evil.example${rows}/7 HTTP/1.1`]) {
      const { cost, heard, status } = await attack(line)
      if (status === 200) expect([cost, heard.map(({ url }) => url)]).toEqual(["2000", ["/rows/7"]])
      else expect([status >= 400 && status < 500, cost, heard]).toEqual([true, "0", []])
    }
  })
})
