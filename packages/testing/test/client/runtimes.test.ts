import { EdgeVM } from "@edge-runtime/vm"
import { expect, it } from "@effect/vitest"
import type { Operation } from "@tollgate/contract/Operation"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { build, type BuildOptions } from "esbuild"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { chromium, hasChromium } from "@tollgate/testing/chromium"
import { calls, price, priced } from "@tollgate/testing/models"

const models = ["sandbox", "sandbox:stall; after=2", "sandbox:stream-error; after=2"]

const operations = priced.map((operation): Operation => {
  const own = operation.price
  if (own.contract !== "model_tokens") return operation
  return { ...operation, price: { ...own, models: Object.fromEntries(models.map((model) => [model, price])) } }
})

const gateway = Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations, sandbox: "all" })))

const bundle = async (program: string, options: BuildOptions): Promise<string> => {
  const { outputFiles = [] } = await build({
    entryPoints: [fileURLToPath(new URL(`../../src/client/${program}.program.ts`, import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    ...options
  })
  return outputFiles[0]?.text ?? ""
}

/** For no specific platform, so that bundling fails on platform modules. */
const bundleNeutral = (define: Record<string, string>): Promise<string> =>
  bundle("runtimes", {
    format: "iife",
    platform: "neutral",
    mainFields: ["module", "main"],
    define
  })

const bundleForNode = (define: Record<string, string>): Promise<string> =>
  bundle("runtimesNode", { format: "cjs", platform: "node", define })

/** Web APIs only, and no code from strings. */
const inEdge = async (script: string): Promise<string> => {
  const { context } = new EdgeVM({ initialCode: script })
  return context["outcome"]
}

/** In a page without an origin, so that every request is cross-origin. */
const inChromium = (script: string): Promise<string> =>
  chromium.pipe(
    Effect.flatMap((browser) => Effect.promise(async () => (await browser.newPage()).evaluate(`${script}\noutcome`))),
    Effect.scoped,
    Effect.runPromise
  ) as Promise<string>

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

const [bun, deno, oldestNode] = [onPath("bun"), onPath("deno"), onPath("node20")]
if (bun === undefined) console.log("Not run: the client in Bun. Install it: https://bun.com/docs/installation")
if (oldestNode === undefined) console.log("Not run: the client in Node 20. Put that Node on the path as node20.")
if (deno === undefined) console.log("Not run: the client in Deno. Install it: https://docs.deno.com/runtime/")

interface Runtime {
  /** `undefined`: not installed. */
  readonly run: ((script: string) => Promise<string>) | undefined
  readonly script: (define: Record<string, string>) => Promise<string>
  /** What the runtime reports of a call that could not connect. `fetch` does not report whether anything was sent. */
  readonly unreachable: { readonly tag: string; readonly outcome: string }
}

const overFetch = (run: Runtime["run"]): Runtime => ({
  run,
  script: bundleNeutral,
  unreachable: { tag: "TransportFailed", outcome: "unknown" }
})

const overUndici = (run: Runtime["run"]): Runtime => ({
  run,
  script: bundleForNode,
  unreachable: { tag: "TransportFailed", outcome: "not executed" }
})

const runtimes: Readonly<Record<string, Runtime>> = {
  "an edge runtime": overFetch(inEdge),
  Chromium: overFetch(hasChromium ? inChromium : undefined),
  "Node, over its fetch": overFetch(inProcess(process.execPath)),
  "Node, over undici": overUndici(inProcess(process.execPath)),
  "Node 20, over its fetch": overFetch(oldestNode === undefined ? undefined : inProcess(oldestNode)),
  "Node 20, over undici": overUndici(oldestNode === undefined ? undefined : inProcess(oldestNode)),
  Bun: overFetch(bun === undefined ? undefined : inProcess(bun, "run")),
  Deno: overFetch(deno === undefined ? undefined : inProcess(deno, "run", "--allow-net"))
}

const allEnded = Effect.gen(function* () {
  for (;;) {
    const made = yield* calls
    if (made.every(({ state }) => state !== "open")) return made
    yield* Effect.sleep("5 millis")
  }
})

for (const [name, { run, script, unreachable }] of Object.entries(runtimes)) {
  it.live.skipIf(run === undefined)(
    `in ${name} the client calls, streams, pages, quotes, fails and is aborted`,
    () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* Host
        const settings = { SETTINGS: JSON.stringify({ baseUrl, credential: key }) }
        const bundled = yield* Effect.promise(() => script(settings))
        const outcome: unknown = JSON.parse(yield* Effect.promise(() => run?.(bundled) ?? Promise.resolve("null")))
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
          unreachable,
          closed: { message: "The client is closed" }
        })
        const made = yield* allEnded
        expect(made.filter(({ state }) => state !== "settled")).toEqual([])
      }).pipe(Effect.provide(gateway)),
    60_000
  )
}
