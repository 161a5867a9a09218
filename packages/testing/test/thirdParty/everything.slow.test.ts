import { describe, expect, it } from "@effect/vitest"
import { post, sellingTools } from "@tollgate/testing/mcp/soldTools"
import { callTool } from "@tollgate/testing/tools/agent"
import { closedPort } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { delimiter, join } from "node:path"

const program = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "mcp-server-everything"))
  .find((path) => existsSync(path))
if (program === undefined) {
  console.log(
    "Not run: MCP's server-everything. Put it on the path: npm install --global @modelcontextprotocol/server-everything@2026.8.31"
  )
}

/** Starts the server, and waits until it listens. */
const everything = Effect.gen(function* () {
  const port = yield* closedPort
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof spawn>>((resume) => {
      const child = spawn(process.execPath, [realpathSync(program ?? ""), "streamableHttp"], {
        env: { PATH: process.env.PATH, PORT: String(port) },
        stdio: ["ignore", "ignore", "pipe"]
      })
      child.stderr?.on("data", (chunk: Buffer) => {
        if (chunk.toString().includes("listening")) resume(Effect.succeed(child))
      })
      child.once("exit", (code) => resume(Effect.die(new Error(`server-everything ended with ${code}`))))
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  return port
})

const tools = ["echo", "get-sum", "get-tiny-image", "get-structured-content", "trigger-long-running-operation", "gone"]
const sold = tools.map((tool) => ({ id: `everything.${tool.replaceAll("-", "_")}`, tool }))

describe("MCP's own server of examples, sold by the gateway", () => {
  it.live.skipIf(program === undefined)("is called over HTTP, and by an agent with a cap who sees its progress", () =>
    Effect.gen(function* () {
      const port = yield* everything
      yield* Effect.gen(function* () {
        const echoed = yield* post("everything.echo", { message: "hello" })
        expect(JSON.parse(echoed.text)).toEqual({ content: [{ type: "text", text: "Echo: hello" }] })
        expect([echoed.status, echoed.cost]).toEqual([200, "2000"])

        const wrong = yield* post("everything.get_sum", { a: "not a number" })
        expect([wrong.status, wrong.cost]).toEqual([200, "0"])
        expect(JSON.parse(wrong.text)).toMatchObject({ isError: true })

        const image = yield* post("everything.get_tiny_image", {})
        expect(JSON.parse(image.text)).toMatchObject({ content: [{}, { type: "image", mimeType: "image/png" }, {}] })

        const gone = yield* post("everything.gone", {})
        expect(gone.status).toBe(503)
        expect(gone.text).toContain("does not offer the tool")

        const use = (operation_id: string, given: object, more: object = {}) =>
          callTool("use", { operation_id, arguments: given, max_price_usd: 0.01, ...more }, undefined, "token")
        const weather = yield* use("everything.get_structured_content", { location: "Chicago" })
        expect(weather.content).toMatchObject({
          status: 200,
          body: { structuredContent: { temperature: expect.any(Number) as number } },
          cost: { state: "settled", usd: "0.002" }
        })
        const overCap = yield* use("everything.echo", { message: "a" }, { max_price_usd: 0.001 })
        expect(overCap.content).toMatchObject({ error: { code: "over_cap" } })

        const long = yield* use("everything.trigger_long_running_operation", { duration: 0.2, steps: 4 })
        expect(long.content).toMatchObject({ status: 200, cost: { usd: "0.002" } })
        expect(long.progress.map(({ progress, total }) => [progress, total])).toEqual([
          [1, 4],
          [2, 4],
          [3, 4],
          [4, 4]
        ])
      }).pipe(Effect.provide(sellingTools(sold, [port])))
    }).pipe(Effect.scoped)
  )
})
