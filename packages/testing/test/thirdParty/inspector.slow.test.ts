import { describe, expect, it } from "@effect/vitest"
import { Served } from "@tollgate/testing/hostile/Served"
import { key, TestGateway } from "@tollgate/testing/TestGateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"

const inspector = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "mcp-inspector"))
  .find((path) => existsSync(path))
if (inspector === undefined) {
  console.log(
    "Not run: the MCP inspector. Put it on the path: npm install --global @modelcontextprotocol/inspector@2.12.0"
  )
}

const gateway = Layer.provideMerge(Served.layer(), TestGateway.layer({ sandbox: "all" }))

/** Runs the inspector's command line against the gateway, and returns what it prints. */
const inspect = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const { baseUrl } = yield* Served
  const target = ["--cli", `${baseUrl}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${key}`]
  // It keeps files in the home folder.
  const HOME = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "tollgate-inspector-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true }))
  )
  const run = promisify(execFile)
  const { stdout } = yield* Effect.promise(() =>
    run(inspector ?? "", [...target, ...args], { env: { ...process.env, HOME } })
  )
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>
})

describe("the MCP inspector's command line", () => {
  it.live.skipIf(inspector === undefined)("lists the tools, finds no fault in their schemas, and calls one", () =>
    Effect.gen(function* () {
      const { tools } = yield* inspect("--method", "tools/list", "--strict")
      const named = (name: string) => expect.objectContaining({ name })
      expect(tools).toEqual(["search", "get_details", "list_categories", "use", "batch_use"].map(named))
      const call = ["--method", "tools/call", "--tool-name", "use"]
      const input = ["operation_id=rerank", 'arguments={"query":"q","documents":["a"]}', "max_price_usd=0.01"]
      expect(yield* inspect(...call, "--tool-arg", ...input)).toMatchObject({
        content: [{ text: expect.stringContaining('"cost":{"state":"settled"') as unknown }]
      })
    }).pipe(Effect.scoped, Effect.provide(gateway))
  )
})
