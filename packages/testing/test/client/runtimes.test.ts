import { EdgeVM } from "@edge-runtime/vm"
import { expect, it } from "@effect/vitest"
import type { Operation } from "@tollgate/contract/Operation"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { build } from "esbuild"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { chromium } from "playwright-core"
import { inject } from "vitest"
import { calls, price, priced } from "@tollgate/testing/models"

const program = fileURLToPath(new URL("../../src/client/runtimes.program.ts", import.meta.url))

const models = ["sandbox", "sandbox:stall; after=2", "sandbox:stream-error; after=2"]

const operations = priced.map((operation): Operation => {
  const own = operation.price
  if (own.contract !== "model_tokens") return operation
  return { ...operation, price: { ...own, models: Object.fromEntries(models.map((model) => [model, price])) } }
})

const gateway = Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations, sandbox: "all" })))

/** For no specific platform, so that bundling fails on platform modules. */
const bundle = async (settings: object): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [program],
    bundle: true,
    format: "iife",
    platform: "neutral",
    mainFields: ["module", "main"],
    define: { SETTINGS: JSON.stringify(settings) },
    minify: true,
    write: false
  })
  return outputFiles[0]?.text ?? ""
}

/** Web APIs only, and no code from strings. */
const inEdge = async (script: string): Promise<string> => {
  const { context } = new EdgeVM({ initialCode: script })
  return context["outcome"]
}

/** In a page without an origin, so that every request is cross-origin. */
const inChromium = async (script: string): Promise<string> => {
  const browser = await chromium.launch({
    executablePath: inject("chromium"),
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
  })
  try {
    const page = await browser.newPage()
    return await page.evaluate(`${script}\noutcome`)
  } finally {
    await browser.close()
  }
}

/** The process must exit by itself: a closed client keeps nothing open. */
const inProcess =
  (file: string, ...args: ReadonlyArray<string>) =>
  async (script: string): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), "tollgate-"))
    try {
      const path = join(folder, "program.js")
      await writeFile(path, `${script}\noutcome.then((outcome) => console.log(outcome))`)
      const { stdout } = await promisify(execFile)(file, [...args, path], { timeout: 50_000 })
      return stdout
    } finally {
      await rm(folder, { recursive: true })
    }
  }

const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

const [bun, deno] = [onPath("bun"), onPath("deno")]
if (bun === undefined) console.log("Not run: the client in Bun. Install it: https://bun.com/docs/installation")
if (deno === undefined) console.log("Not run: the client in Deno. Install it: https://docs.deno.com/runtime/")

const runtimes: Readonly<Record<string, ((script: string) => Promise<string>) | undefined>> = {
  "an edge runtime": inEdge,
  Chromium: existsSync(inject("chromium")) ? inChromium : undefined,
  "Node, over its fetch": inProcess(process.execPath),
  Bun: bun === undefined ? undefined : inProcess(bun, "run"),
  Deno: deno === undefined ? undefined : inProcess(deno, "run", "--allow-net")
}

const allEnded = Effect.gen(function* () {
  for (;;) {
    const made = yield* calls
    if (made.every(({ state }) => state !== "open")) return made
    yield* Effect.sleep("5 millis")
  }
})

for (const [name, run] of Object.entries(runtimes)) {
  it.live.skipIf(run === undefined)(
    `in ${name} the client calls, streams, pages, quotes, fails and is aborted`,
    () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* Host
        const script = yield* Effect.promise(() => bundle({ baseUrl, apiKey: key }))
        const outcome: unknown = JSON.parse(yield* Effect.promise(() => run?.(script) ?? Promise.resolve("null")))
        expect(outcome).toMatchObject({
          call: [1, 0],
          stream: { isLong: true, charges: [["settled", expect.stringMatching(/^[1-9]/)]] },
          left: { result: 2, isEnded: true },
          streamError: { name: "StreamFailed", tag: "StreamFailed", outcome: "executed" },
          abortedStream: { result: { message: "changed my mind" }, isEnded: true },
          abortedCall: { name: "AbortError" },
          list: { isOfSeveralPages: true, isSameEitherWay: true },
          quote: expect.stringMatching(/^[1-9]/),
          overBudget: { tag: "BudgetExceeded", outcome: "not executed" },
          refused: { tag: "Unauthenticated", outcome: "not executed" },
          // `fetch` does not report whether anything was sent.
          unreachable: { tag: "TransportFailed", outcome: "unknown" },
          closed: { message: "The client is closed" }
        })
        const made = yield* allEnded
        expect(made.filter(({ state }) => state !== "settled")).toEqual([])
      }).pipe(Effect.provide(gateway)),
    60_000
  )
}
