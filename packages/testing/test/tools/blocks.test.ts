import { describe, expect, it } from "@effect/vitest"
import { providerAt, Served, servedTo } from "@tollgate/testing/hostile/Served"
import { ask, bearer, callTool, initialize, inSession, rpc, send } from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"

type Json = Readonly<Record<string, unknown>>

const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(2_000, 7)])
const wav = Buffer.concat([Buffer.from("RIFF\x10\x00\x00\x00WAVE", "latin1"), Buffer.alloc(2_000, 7)])
const pdf = Buffer.concat([Buffer.from("%PDF-1.7\n", "latin1"), Buffer.alloc(2_000, 7)])
const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>${" ".repeat(100)}`)

const id = "financial.metrics_snapshot"
const use = { operation_id: id, arguments: { ticker: "ACME" }, max_price_usd: 0.01 }

interface Result {
  readonly text: string
  readonly blocks: ReadonlyArray<Json>
}

const called = (name: string, input: Json) =>
  Effect.map(ask("tools/call", { name, arguments: input }, bearer), ({ messages }): Result => {
    const [first, ...blocks] = (messages[0]?.result?.["content"] ?? []) as ReadonlyArray<Json>
    return { text: String(first?.["text"]), blocks }
  })

/** What a tool makes of this answer of an upstream. */
const shown = (contentType: string, body: string | Uint8Array, name = "use", input: Json = use) =>
  Effect.gen(function* () {
    const upstream = yield* httpUpstream((res) => void res.writeHead(422, { "content-type": contentType }).end(body))
    return yield* Effect.provide(
      called(name, input),
      servedTo({ [id]: providerAt(upstream.port, { protocol: "json" }) })
    )
  }).pipe(Effect.scoped)

const json = (body: unknown) => shown("application/json", JSON.stringify(body))

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")

describe("a picture, a sound or a file in an answer", () => {
  it.live.each<readonly [string, unknown, Json]>([
    ["OpenAI images", { data: [{ b64_json: base64(png) }] }, { type: "image", mimeType: "image/png" }],
    [
      "Gemini",
      { candidates: [{ content: { parts: [{ inlineData: { mimeType: "image/png", data: base64(png) } }] } }] },
      { type: "image", mimeType: "image/png" }
    ],
    [
      "Anthropic",
      { content: [{ type: "document", source: { type: "base64", media_type: "application/pdf", data: base64(pdf) } }] },
      { type: "resource", resource: { mimeType: "application/pdf", blob: base64(pdf) } }
    ],
    [
      "chat audio",
      { choices: [{ message: { audio: { id: "a", data: base64(wav), transcript: "Hello" } } }] },
      { type: "audio", mimeType: "audio/wav" }
    ],
    [
      "responses",
      { output: [{ type: "image_generation_call", result: base64(png) }] },
      { type: "image", mimeType: "image/png" }
    ],
    [
      "an MCP tool",
      { content: [{ type: "audio", mimeType: "audio/wav", data: base64(wav) }] },
      { type: "audio", mimeType: "audio/wav" }
    ],
    [
      "an MCP resource",
      { content: [{ type: "resource", resource: { uri: "a:b", mimeType: "application/pdf", blob: base64(pdf) } }] },
      { type: "resource", resource: { mimeType: "application/pdf" } }
    ],
    [
      "a data address",
      { images: [{ image_url: { url: `data:image/png;base64,${base64(png)}` } }] },
      { type: "image", mimeType: "image/png" }
    ]
  ])("is a block, and its base64 leaves the text: %s", ([, body, block]) =>
    Effect.gen(function* () {
      const { blocks, text } = yield* json(body)
      expect(blocks).toMatchObject([block])
      expect(text).toMatch(/block 1: [\w/]+, \d+ bytes/)
      expect(text.length).toBeLessThan(800)
    })
  )

  it.live.each<readonly [string, unknown, Json]>([
    ["a picture", { data: [{ url: "https://images.example/a.png" }] }, { uri: "https://images.example/a.png" }],
    ["a video", { output: { video_url: "https://v.example/a.mp4" } }, { uri: "https://v.example/a.mp4" }],
    [
      "a link of an MCP tool",
      { content: [{ type: "resource_link", uri: "file:///a", name: "a", mimeType: "text/plain" }] },
      { uri: "file:///a", name: "a", mimeType: "text/plain" }
    ]
  ])("by its address is a link: %s", ([, body, link]) =>
    Effect.map(json(body), ({ blocks }) =>
      expect(blocks).toEqual([expect.objectContaining({ type: "resource_link", ...link })])
    )
  )

  it.live.each<readonly [string, string, Uint8Array, Json]>([
    ["a picture", "image/jpeg", png, { type: "image", mimeType: "image/png" }],
    ["a picture without a type", "application/octet-stream", png, { type: "image", mimeType: "image/png" }],
    ["a sound", "audio/x-wav; rate=8000", wav, { type: "audio", mimeType: "audio/wav" }],
    ["sound without a head", "audio/L16;rate=24000", Buffer.alloc(100, 3), { type: "audio", mimeType: "audio/l16" }],
    ["markup that claims to be sound", "audio/pcm", svg, { type: "resource" }],
    [
      "SVG that claims to be a PNG",
      "image/png",
      svg,
      { type: "resource", resource: expect.objectContaining({ mimeType: "application/octet-stream" }) as unknown }
    ],
    [
      "SVG",
      "image/svg+xml",
      svg,
      { type: "resource", resource: expect.objectContaining({ mimeType: "image/svg+xml" }) as unknown }
    ],
    [
      "a PDF",
      "application/pdf",
      pdf,
      { type: "resource", resource: expect.objectContaining({ mimeType: "application/pdf" }) as unknown }
    ]
  ])("as the whole answer is what its bytes say: %s", ([, type, bytes, block]) =>
    Effect.map(shown(type, bytes), ({ blocks, text }) => {
      expect(blocks).toEqual([expect.objectContaining(block)])
      expect(JSON.parse(text)).toMatchObject({
        body_encoding: "block",
        body: expect.stringMatching(/^block 1: /) as unknown
      })
    })
  )

  it.live.each<readonly [string, unknown]>([
    ["no base64", { data: [{ b64_json: "not base64 at all ".repeat(10) }] }],
    ["base64 that is cut off", { data: [{ b64_json: base64(png).slice(0, -3) }] }],
    ["text with a type", { source: { type: "text", media_type: "text/plain", data: "word".repeat(40) } }],
    ["a number", { data: [{ b64_json: 5 }] }],
    ["an address that is none", { data: [{ url: "javascript:alert(1)" }] }]
  ])("that is %s stays as it is", ([, body]) =>
    Effect.map(json(body), ({ blocks, text }) => {
      expect(blocks).toEqual([])
      expect((JSON.parse(text) as Json)["body"]).toEqual(body)
    })
  )

  it.live("is a block in each result of a batch, numbered through", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ data: [{ b64_json: base64(png) }] })
      const batch = { calls: [use, use], max_total_usd: 1 }
      const { blocks, text } = yield* shown("application/json", body, "batch_use", batch)
      expect(blocks.map(({ type }) => type)).toEqual(["image", "image"])
      expect(text.match(/block \d/g)).toEqual(["block 1", "block 2"])
    })
  )

  it.live("is limited in number", () =>
    Effect.gen(function* () {
      const { blocks } = yield* json({ data: Array.from({ length: 50 }, () => ({ b64_json: base64(png) })) })
      expect(blocks).toHaveLength(20)
    })
  )

  const opened = (uri: unknown, init: RequestInit = {}) =>
    Effect.flatMap(Served, ({ baseUrl }) =>
      Effect.promise(async () => {
        const response = await fetch(`${baseUrl}${new URL(String(uri)).pathname}`, init)
        return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
      })
    )

  it.live("that is too large for a block is a link, which opens for whoever has it, and no other", () =>
    Effect.gen(function* () {
      const large = Buffer.concat([png, Buffer.alloc(3_000_000, 1)])
      const page = Buffer.concat([svg, Buffer.alloc(3_000_000, 32)])
      let body: Uint8Array = large
      let type = "image/png"
      const upstream = yield* httpUpstream((res) => void res.writeHead(422, { "content-type": type }).end(body))
      yield* Effect.gen(function* () {
        const { blocks, text } = yield* called("use", use)
        expect(blocks).toEqual([
          expect.objectContaining({
            type: "resource_link",
            mimeType: "image/png",
            description: expect.stringContaining("Opens until") as unknown
          })
        ])
        expect(JSON.parse(text)).not.toHaveProperty("truncated")
        const uri = String(blocks[0]?.["uri"])
        const seen = yield* opened(uri)
        expect([seen.status, seen.headers.get("content-type"), seen.bytes.equals(large)]).toEqual([
          200,
          "image/png",
          true
        ])
        expect(seen.headers.get("content-security-policy")).toContain("sandbox")
        const end = uri.at(-1) === "0" ? "1" : "0"
        expect((yield* opened(uri.slice(0, -1) + end)).status).toBe(404)
        expect((yield* opened(uri.replace(/files\/\w+\./, "files/acct_other."))).status).toBe(404)
        expect((yield* opened(uri.slice(0, -10))).status).toBe(404)
        expect((yield* opened(uri, { method: "POST" })).status).toBe(405)

        body = page
        type = "image/svg+xml"
        const asFile = yield* called("use", use)
        const served = yield* opened(asFile.blocks[0]?.["uri"])
        expect([served.headers.get("content-type"), served.headers.get("content-disposition")]).toEqual([
          "application/octet-stream",
          "attachment"
        ])

        const { session } = yield* initialize("2025-03-26")
        const old = yield* send(rpc("tools/call", { name: "use", arguments: use }), inSession(session, "2025-03-26"))
        expect(old.messages[0]?.result?.["content"]).toMatchObject([
          { type: "text" },
          { type: "text", text: expect.stringContaining("/mcp/files/") as unknown }
        ])
      }).pipe(Effect.provide(servedTo({ [id]: providerAt(upstream.port, { protocol: "json" }) })))
    }).pipe(Effect.scoped)
  )

  it.live("of 30 MB fills no text", () =>
    Effect.gen(function* () {
      const whole = yield* shown("image/png", Buffer.concat([png, Buffer.alloc(30_000_000, 1)]))
      expect(whole.blocks).toEqual([])
      expect(JSON.parse(whole.text)).toMatchObject({ truncated: true })
      const larger = yield* json({ data: [{ b64_json: base64(Buffer.alloc(30_000_000, 1)) }] })
      expect([larger.blocks.length, larger.text.length < 2_000]).toEqual([0, true])
    })
  )

  it.live("of the images operation costs a model little", () =>
    Effect.gen(function* () {
      const input = { prompt: "A river", model: "sandbox" }
      const { blocks, text } = yield* called("use", {
        operation_id: "images.generate",
        arguments: input,
        max_price_usd: 1
      })
      expect(blocks).toEqual([expect.objectContaining({ type: "image", mimeType: "image/png" })])
      expect(text.length).toBeLessThan(1_000)
    }).pipe(Effect.provide(servedSandbox()))
  )
})

describe("a long answer", () => {
  const items = Array.from({ length: 5_000 }, (_, i) => ({ id: i, title: `Item ${i} of a long list` }))

  it.live("is shortened for a model, says by how much, and keeps what is small", () =>
    Effect.gen(function* () {
      const { text } = yield* json({ items, next: "cursor-2", about: "x".repeat(100_000) })
      expect(text.length).toBeLessThan(100_000)
      const { body, note, truncated } = JSON.parse(text) as { body: Json; note: string; truncated: boolean }
      expect(truncated).toBe(true)
      expect(note).toContain("ask for less at a time")
      expect(body["next"]).toBe("cursor-2")
      expect(JSON.stringify(body["items"])).toMatch(/… \d+ more items/)
      expect(body["about"]).toMatch(/… \(\d+ more characters\)$/)
    })
  )

  it.live("is longer for a program", () =>
    Effect.gen(function* () {
      const upstream = yield* httpUpstream(
        (res) => void res.writeHead(422, { "content-type": "application/json" }).end(JSON.stringify({ items }))
      )
      const { content } = yield* Effect.provide(
        callTool("use", use),
        servedTo({ [id]: providerAt(upstream.port, { protocol: "json" }) })
      )
      expect(content["body"]).toEqual({ items })
    }).pipe(Effect.scoped)
  )
})
