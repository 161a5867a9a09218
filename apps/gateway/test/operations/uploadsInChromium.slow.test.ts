import { bundlePage, chromium, hasChromium } from "@tollgate/testing/chromium"
import { servePage } from "@tollgate/testing/client/servePage"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { appendFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { folder } from "../program.ts"
import { openapi } from "./documents.ts"
import { sell } from "./selling.ts"

const document = openapi({
  "/files": {
    post: {
      requestBody: {
        required: true,
        content: {
          "multipart/form-data": {
            schema: {
              type: "object",
              required: ["file"],
              properties: { file: { type: "string", format: "binary" }, title: { type: "string" } }
            }
          }
        }
      },
      responses: { "200": { description: "ok", content: { "application/json": { schema: { type: "object" } } } } }
    }
  }
})

const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7) % 256)

const append = (path: string) => appendFileSync(path, "more")

describe.skipIf(!hasChromium)("an upload from a page in Chromium", () => {
  const scope = Scope.makeUnsafe()
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const open = (baseUrl: string, key: string) =>
    Effect.gen(function* () {
      const script = yield* bundlePage("./client/uploadPage.ts")
      const { url } = yield* servePage(script, { baseUrl, key }, "<input type=file>")
      const browser = yield* chromium
      return yield* Effect.promise(async () => {
        const tab = await browser.newPage()
        await tab.goto(url)
        await tab.waitForSelector("body[data-ready]")
        return tab
      })
    })

  let sold: Awaited<ReturnType<typeof sell>>
  let tab: Effect.Success<ReturnType<typeof open>>
  beforeAll(async () => {
    const path = join(folder(), "files.json")
    writeFileSync(path, JSON.stringify(document))
    sold = await sell(path, "--price", "0.002")
    tab = await Effect.runPromise(Scope.provide(open(sold.address, sold.key), scope))
  })

  /** Chooses a file, as a person does. */
  const choose = async (content: Uint8Array): Promise<string> => {
    const path = join(folder(), "river.png")
    writeFileSync(path, content)
    await tab.locator("input").setInputFiles(path)
    return path
  }

  const upload = async (source: string) => {
    const before = sold.requests.length
    const outcome = await tab.evaluate<object>(`upload(${JSON.stringify(source)})`)
    return { outcome, heard: sold.requests.slice(before) }
  }

  it.each([
    ["file", "river.png", "image/png"],
    ["stream", "file", "application/octet-stream"],
    ["named stream", "b.png", "image/png"]
  ])("of a %s is sent whole over HTTP/1.1, and charged once", async (source, name, type) => {
    await choose(bytes)
    const { heard, outcome } = await upload(source)
    expect([outcome, heard.length]).toEqual([{ micros: 2000 }, 1])
    const headers = { "content-type": heard[0]?.headers["content-type"] ?? "" }
    const form = await new Response(new Uint8Array(heard[0]?.body ?? []), { headers }).formData()
    const file = form.get("file") as File
    expect([form.get("title"), file.name, file.type]).toEqual(["t", name, type])
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes)
  })

  const nothing = () => {}
  it.each([
    ["a file that was deleted since it was chosen", "file", "could not be read", rmSync, bytes.length],
    ["a file that was changed since it was chosen", "file", "could not be read", append, bytes.length],
    ["the stream of a file that was deleted", "stream", "could not be read", rmSync, bytes.length],
    ["a stream that breaks in the middle", "broken", "the camera was unplugged", nothing, bytes.length],
    ["a stream that something else reads", "locked", "could not be read", nothing, bytes.length],
    ["a file above 20 MiB", "file", "at most 20971520 bytes", nothing, 21 * 1024 * 1024]
  ] as const)("of %s is refused before it is sent", async (_, source, words, change, size) => {
    change(await choose(new Uint8Array(size)))
    const { heard, outcome } = await upload(source)
    expect(outcome).toMatchObject({
      _tag: "InputInvalid",
      outcome: "not executed",
      message: expect.stringContaining(words) as unknown
    })
    expect(heard).toEqual([])
  })

  it("of a file that is too large for the operation is refused by the gateway, before a charge", async () => {
    await choose(new Uint8Array(5 * 1024 * 1024))
    const { heard, outcome } = await upload("file")
    expect(outcome).toMatchObject({ code: "body_too_large", outcome: "not executed" })
    expect(heard).toEqual([])
  })
})
