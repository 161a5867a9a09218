import { onDemand } from "@tollgate-tooling/programs/onDemand.ts"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { consoleFiles } from "../src/pages/files.ts"
import { consolePages } from "../src/pages/consolePages.ts"
import { addressIn, folder, removeFolders } from "./program.ts"
import { type Gateway, startGateway } from "./tollgate.ts"

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
}

let gateway: Gateway
let address: string

beforeAll(async () => {
  await onDemand("console")
  gateway = await startGateway({ TOLLGATE_DATA: folder() })
  address = addressIn(gateway.banner)
})
afterAll(async () => {
  await gateway.stop()
  removeFolders()
})

/** Sends the path as it is: `fetch` would tidy it first, and decompress the answer. */
const ask = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address)
    request({ hostname, port, path, method, headers }, (answer) => {
      const chunks: Array<Buffer> = []
      answer.on("data", (chunk: Buffer) => chunks.push(chunk))
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) })
      )
    })
      .on("error", reject)
      .end()
  })

const scriptIn = ({ body }: Answer): string => /src="([^"]+\.js)"/.exec(body.toString())?.[1] ?? ""

describe("the console", () => {
  it("is one page at each of its addresses, never cached without asking", async () => {
    const page = await ask("/")
    expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"])
    expect(page.headers["cache-control"]).toBe("no-cache")
    expect(page.body.toString()).toContain("<title>Tollgate</title>")
    for (const path of ["/sign-in?to=%2F", "/calls", "/calls/req_1", "/operator/accounts", "/playground/rerank"]) {
      expect([path, (await ask(path)).body.equals(page.body)]).toEqual([path, true])
    }
  })

  it("has files that browsers keep, compressed for those who can read it", async () => {
    const path = scriptIn(await ask("/"))
    const plain = await ask(path)
    expect(plain.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      vary: "Accept-Encoding"
    })
    for (const accepted of ["br", "gzip, br", "BR;q=0.5", "gzip;q=1, br;q=1.0"]) {
      const compressed = await ask(path, { "accept-encoding": accepted })
      expect([accepted, compressed.headers["content-encoding"]]).toEqual([accepted, "br"])
      expect(brotliDecompressSync(compressed.body).equals(plain.body)).toBe(true)
    }
    // Over plain HTTP, browsers accept no brotli.
    for (const accepted of ["gzip, deflate", "gzip, br; q=0.000"]) {
      const compressed = await ask(path, { "accept-encoding": accepted })
      expect([accepted, compressed.headers["content-encoding"]]).toEqual([accepted, "gzip"])
      expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true)
    }
    for (const accepted of ["", "br;q=0", "brotli", "x-br"]) {
      const answer = await ask(path, { "accept-encoding": accepted })
      expect([accepted, answer.headers["content-encoding"]]).toEqual([accepted, undefined])
      expect(answer.body.equals(plain.body)).toBe(true)
    }
  })

  it("is not sent again to those who have it, and HEAD gets no body", async () => {
    for (const path of ["/", scriptIn(await ask("/"))]) {
      const { body, headers } = await ask(path)
      const etag = String(headers.etag)
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const again = await ask(path, { "if-none-match": known })
        expect([known, again.status, again.body.length]).toEqual([known, 304, 0])
        expect(again.headers.etag).toBe(etag)
      }
      expect((await ask(path, { "if-none-match": '"other"' })).status).toBe(200)
      const head = await ask(path, {}, "HEAD")
      expect([head.status, head.headers.etag, head.body.length]).toEqual([200, etag, 0])
      expect(head.headers["content-length"]).toBe(String(body.length))
    }
  })

  it("gives no file besides its own, whatever the path says", async () => {
    for (const path of [
      "/assets/../package.json",
      "/assets/../../package.json",
      "/assets/..%2f..%2fpackage.json",
      "/assets/%2e%2e/index.html",
      "/assets//etc/passwd",
      "/assets/..\\..\\package.json",
      "/assets/mark.svg%00.js",
      "/assets/%00",
      "/assets/",
      "/assets",
      "/assets/__proto__",
      "/.sources",
      "/.vite/manifest.json",
      "/index.html",
      "//calls"
    ]) {
      const { body, status } = await ask(path)
      expect([path, status >= 400 && status < 500, body.includes("root")]).toEqual([path, true, false])
    }
    expect((await ask("/", {}, "POST")).status).toBe(401)
  })
})

it("behind a path of a proxy, the console asks for its files and the gateway there", async () => {
  const about = { name: "acme", baseUrl: "https://gateway.example.com/a&b", hasSignIn: true }
  const request = HttpServerRequest.fromWeb(new Request(`${address}/calls`))
  const page = consolePages(consoleFiles(), about)[0]?.answer(request, "/calls")
  if (page === undefined) throw new Error("there is no page")
  const text = await HttpServerResponse.toWeb(await Effect.runPromise(page)).text()
  expect(text).toContain('src="/a&amp;b/assets/')
  expect(text).not.toMatch(/="\.?\/(?:assets|docs)/)
  expect(text).toContain("<title>acme</title>")
  expect(text).toContain("&quot;prefix&quot;:&quot;/a&amp;b&quot;")
})
