import { createClient } from "@tollgate/node"
import {
  type BilledError,
  call,
  type CallFunction,
  pages,
  type PagesFunction,
  type PromiseApi
} from "@tollgate/client/discovered"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { fileOf } from "../../src/codegen/file.ts"
import { version } from "../../src/package.ts"
import { project } from "../codegen/compile.ts"
import { messagesOf } from "../config/decoded.ts"
import { folder } from "../program.ts"
import { get, imported, openapi } from "./documents.ts"
import { sellWith } from "./selling.ts"

const header = { schema: { type: "string" } }
const list = { "application/json": { schema: { type: "array", items: { type: "integer" } } } }

const document = openapi({
  "/pets": get({
    parameters: [
      { name: "page", in: "query", schema: { type: "integer" } },
      { name: "tag", in: "query", schema: { type: "array", items: { type: "string" } } }
    ],
    responses: {
      "200": {
        description: "ok",
        headers: {
          Link: header,
          "Set-Cookie": header,
          Connection: header,
          "X-RateLimit-Limit": header,
          "X-Total": header
        },
        content: list
      },
      "503": { description: "busy", headers: { "Retry-After": header } }
    }
  }),
  "/files": {
    get: {
      responses: {
        "200": {
          description: "ok",
          headers: { Link: header, Location: header, ETag: header, "Content-Disposition": header },
          content: { "application/json": { schema: { type: "object" } } }
        }
      }
    }
  },
  "/plain": get({ responses: { "200": { description: "ok", content: list } } })
})

const ofFile = {
  link: '<https://api.example/files?page=2>; rel="next"',
  location: "/files/7",
  etag: 'W/"7"',
  "content-disposition": 'attachment; filename="a, b.txt"'
}

interface Pets {
  readonly page?: number
  readonly tag?: ReadonlyArray<string>
}

/** What the generated file exports. */
interface Generated {
  readonly api: PromiseApi<{
    readonly apiGetPets: CallFunction<Pets, ReadonlyArray<number>, BilledError>
    readonly apiGetPetsPages: PagesFunction<Pets, ReadonlyArray<number>, BilledError>
  }>
}

describe("headers that set a policy for the gateway's own origin", () => {
  it.each([
    "NEL",
    "Report-To",
    "Reporting-Endpoints",
    "Content-Security-Policy",
    "Content-Security-Policy-Report-Only",
    "Use-As-Dictionary",
    "Speculation-Rules",
    "Permissions-Policy",
    "Permissions-Policy-Report-Only",
    "Feature-Policy",
    "Document-Policy",
    "Document-Policy-Report-Only",
    "Require-Document-Policy",
    "Sec-Session-Registration",
    "Sec-Session-Challenge",
    "Secure-Session-Registration",
    "Set-Login",
    "Activate-Storage-Access",
    "Accept-CH",
    "Critical-CH",
    "Origin-Agent-Cluster",
    "Referrer-Policy",
    "X-Frame-Options",
    "Service-Worker-Allowed",
    "SourceMap",
    "X-SourceMap",
    "Cross-Origin-Opener-Policy",
    "Cross-Origin-Embedder-Policy-Report-Only",
    "Cross-Origin-Resource-Policy"
  ])("%s is not imported, and the configuration refuses it", (name) => {
    const responses = { "200": { description: "ok", headers: { Link: header, [name]: header }, content: list } }
    const [operation] = imported(openapi({ "/pets": get({ responses }) })).operations
    expect(operation?.answer).toMatchObject({ headers: ["Link"] })
    const upstreams = { pets: { baseUrl: "https://pets.example", protocol: "json" } }
    const operations = [{ ...operation, answer: { headers: ["Link", name] } }]
    expect(messagesOf({ upstreams, operations })).toEqual([
      "operations[0].answer.headers[1]: the gateway does not pass this header on"
    ])
  })
})

describe("headers of an upstream", () => {
  let sold: Awaited<ReturnType<typeof sellWith>>
  beforeAll(async () => {
    const path = join(folder(), "pets.json")
    writeFileSync(path, JSON.stringify(document))
    sold = await sellWith(
      { cachedAnswers: { "api.get_files": { seconds: 60, price: 0.1 } } },
      ({ url }, response) => {
        const search = new URL(url, "http://u").searchParams
        const page = Number(search.get("page") ?? 1)
        const next = `<https://api.example/pets?page=${page === 9 ? 9 : page + 1}&tag=a&tag=b&extra=1>; rel="next", <https://api.example/pets>; rel="first"`
        response.setHeader("set-cookie", "a=b")
        response.setHeader("x-total", "3")
        response.setHeader("x-other", "1")
        response.setHeader("x-ratelimit-limit", "60")
        if (page < 3 || page === 9) response.setHeader("link", next)
        if (url.startsWith("/files")) {
          for (const [name, value] of Object.entries(ofFile)) response.setHeader(name, value)
        }
        response.setHeader("content-type", "application/json").end(`[${page}]`)
      },
      path,
      "--price",
      "0.002"
    )
  })

  it("are imported by their names, without those of a connection, of cookies and of limits", () => {
    expect(imported(document).operations[0]?.answer).toMatchObject({ headers: ["Link", "Retry-After", "X-Total"] })
  })

  it("reach the caller if the operation names them; links always do", async () => {
    const answered = async (path: string) => {
      const { headers } = await fetch(`${sold.address}/apis/v1/api${path}`, {
        headers: { authorization: `Bearer ${sold.key}` }
      })
      return ["link", "x-total", "x-other", "set-cookie", "x-ratelimit-limit"].map((name) => headers.has(name))
    }
    expect(await answered("/pets")).toEqual([true, true, false, false, false])
    expect(await answered("/plain")).toEqual([true, false, false, false, false])
  })

  it.each([
    ["of an idempotency key", { "idempotency-key": "again", "x-tollgate-idempotency-mode": "replay" }, {}, "true"],
    ["of an SDK that repeats", { "x-stainless-retry-count": "0" }, { "x-stainless-retry-count": "1" }, "true"],
    ["that is kept", { "x-tollgate-cache": "use" }, {}, null]
  ])("are those of the first answer if it is sent again: %s", async (_, headers, again, replayed) => {
    const before = sold.requests.length
    const send = async (more: object) => {
      const answer = await fetch(`${sold.address}/apis/v1/api/files`, {
        headers: { authorization: `Bearer ${sold.key}`, ...headers, ...more }
      })
      const named = Object.fromEntries(Object.keys(ofFile).map((name) => [name, answer.headers.get(name)]))
      return { named, text: await answer.text(), replayed: answer.headers.get("idempotent-replayed") }
    }
    const first = await send({})
    expect(first).toEqual({ named: ofFile, text: "[1]", replayed: null })
    expect(await send(again)).toEqual({ ...first, replayed })
    expect(sold.requests.length - before).toBe(1)
  })

  it("tell the upstream who calls", () => {
    expect(sold.requests.at(-1)?.headers["user-agent"]).toBe(`tollgate/${version()}`)
  })

  it("lead a program from page to page, and not in a circle", async () => {
    const client = createClient({ baseUrl: sold.address, credential: sold.key })
    const before = sold.requests.length
    const found: Array<unknown> = []
    for await (const page of pages(client, "api.get_pets", { tag: ["a", "b"] })) found.push(page)
    expect(found).toEqual([[1], [2], [3]])
    expect(sold.requests.slice(before).map(({ url }) => [...new URL(url, "http://u").searchParams].toSorted())).toEqual(
      [
        [
          ["tag", "a"],
          ["tag", "b"]
        ],
        [
          ["page", "2"],
          ["tag", "a"],
          ["tag", "b"]
        ],
        [
          ["page", "3"],
          ["tag", "a"],
          ["tag", "b"]
        ]
      ]
    )
    expect(await call(client, "api.get_pets", { page: 5 })).toEqual([5])
    const circle = async () => {
      for await (const page of pages(client, "api.get_pets", { page: "9", tag: ["a", "b"] })) found.push(page)
    }
    await expect(circle()).rejects.toMatchObject({ _tag: "PagingStuck" })
    await client.close()
  })

  it("lead generated code from page to page, and a page that broke is resumed", async () => {
    const written = project()
    const file = fileOf({ document: await sold.contract(), hash: "0" }, "*get_pets,*get_plain")
    written.write("api.ts", file)
    const { api } = (await import(/* @vite-ignore */ written.path("api.ts"))) as Generated
    written.remove()
    const broken = { next: false }
    const client = createClient({
      baseUrl: sold.address,
      credential: sold.key,
      retries: 0,
      fetch: async (url: string, init: RequestInit) => {
        const answer = await fetch(url, init)
        if (!broken.next) return answer
        broken.next = false
        await answer.arrayBuffer()
        throw new TypeError("fetch failed")
      }
    })
    const { apiGetPetsPages, resume, ...others } = api(client)
    expect(others).not.toHaveProperty("apiGetPlainPages")
    const before = sold.requests.length
    const found: Array<unknown> = []
    const lost: Array<unknown> = []
    try {
      for await (const page of apiGetPetsPages({ tag: ["a", "b"] })) {
        found.push(page)
        broken.next = found.length === 2
      }
    } catch (error) {
      lost.push(error, await resume.apiGetPets(error))
    }
    expect([found, lost]).toEqual([
      [[1], [2]],
      [expect.objectContaining({ _tag: "OutcomeUnknown", idempotencyKey: expect.any(String) as unknown }), [3]]
    ])
    expect(sold.requests.length - before).toBe(3)
    await client.close()
  })
})
