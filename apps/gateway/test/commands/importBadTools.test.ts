import { describe, expect, it } from "@effect/vitest"
import { sdkServer } from "@tollgate/testing/mcp/sdkServer"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll } from "vitest"
import { addressIn, folder, keyIn, removeFolders } from "../program.ts"
import { startGateway, tollgate } from "../tollgate.ts"

afterAll(removeFolders)

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more })

const nested = (levels: number) => {
  let schema: object = { type: "string" }
  for (let i = 0; i < levels; i++) schema = { type: "object", properties: { a: schema } }
  return schema
}

const good = [tool("one"), tool("two", { inputSchema: {} }), tool("three", { description: "Three.\u202e Hidden" })]

/** Each with the reason that is told. */
const bad: ReadonlyArray<readonly [described: unknown, reason: string]> = [
  [null, "is not a tool"],
  ["one", "is not a tool"],
  [{}, "has no usable name"],
  [tool("   "), "has no usable name"],
  [{ ...tool(""), name: 7 }, "has no usable name"],
  [tool("n".repeat(5_000)), "has no usable name"],
  [tool("right\u202eleft"), "has hidden characters in its name"],
  [tool("esc\u001b[2J"), "has hidden characters in its name"],
  [{ name: "bare" }, "does not describe its arguments"],
  [tool("listed", { inputSchema: [] }), "does not describe its arguments"],
  [tool("text", { inputSchema: { type: "string" } }), "takes arguments that are not an object"],
  [tool("props", { inputSchema: { type: "object", properties: 7 } }), "describes its arguments by an invalid schema"],
  [tool("deep", { inputSchema: nested(200) }), "has schemas that are nested deeper than 100 levels"],
  [tool("task", { execution: { taskSupport: "required" } }), "runs only as a task"],
  [tool("one", { description: "another" }), "is listed twice"],
  [tool("large", { description: "x".repeat(400_000) }), "is described in more than 256 kB"]
]

const token = "an-admin-token-of-the-test"

describe("an MCP server of which most tools are bad", () => {
  it.live("sells the good ones, and names each of the others with its reason", () =>
    Effect.gen(function* () {
      const tools = { list: bad.map(([described]) => described) }
      tools.list.splice(3, 0, ...good)
      const server = yield* sdkServer(tools)
      const data = folder()
      const config = join(data, "tollgate.jsonc")
      const write = (operations: ReadonlyArray<object>) =>
        writeFileSync(
          config,
          JSON.stringify({
            upstreams: { tools: { baseUrl: server.address, protocol: "mcp", private: true } },
            operations,
            sandbox: true
          })
        )
      write([])
      const environment = { TOLLGATE_CONFIG: config, TOLLGATE_DATA: data, TOLLGATE_ADMIN_TOKEN: token }
      const run = (...words: ReadonlyArray<string>) => Effect.promise(() => tollgate(environment, ...words))
      const importing = ["operations", "import", "mcp", server.address, "--upstream", "tools", "--price", "0.002"]
      const { code, stderr, stdout } = yield* run(...importing)
      expect([code, stderr]).toEqual([0, ""])
      expect(stdout).toContain(`3 of ${good.length + bad.length} tools imported.`)
      for (const [, reason] of bad) expect(stdout).toContain(reason)
      for (const name of ["bare", "deep", "large", "props", "task"]) expect(stdout).toContain(`tools.${name}`)
      expect(stdout).toContain("Warning: these texts have control or bidirectional characters")
      for (const hidden of ["\u001b", "\u202e"]) expect(stdout).not.toContain(hidden)
      write([{ file: "tools.operations.json" }])
      expect(yield* run("config", "check")).toMatchObject({ code: 0, stdout: "ok\n" })

      const gateway = yield* Effect.acquireRelease(
        Effect.promise(() => startGateway(environment)),
        ({ stop }) => Effect.promise(stop)
      )
      const address = addressIn(gateway.banner)
      const call = (name: string) =>
        Effect.promise(async () => {
          const answer = await fetch(`${address}/apis/v1/tools/${name}`, {
            method: "POST",
            headers: { authorization: `Bearer ${keyIn(gateway.banner)}`, "content-type": "application/json" },
            body: "{}"
          })
          return [answer.status, answer.headers.get("x-tollgate-cost-micros-usd"), await answer.text()] as const
        })
      const leftOut = Effect.promise(async () => {
        const answer = await fetch(`${address}/admin/v1/upstreams`, { headers: { authorization: `Bearer ${token}` } })
        const { upstreams } = (await answer.json()) as {
          upstreams: ReadonlyArray<{ name: string; tools_left_out: ReadonlyArray<{ tool: string; reason: string }> }>
        }
        return upstreams.find(({ name }) => name === "tools")?.tools_left_out ?? []
      })
      expect(yield* leftOut).toEqual([])
      for (const name of ["one", "two", "three"]) {
        expect(yield* call(name)).toEqual([200, "2000", JSON.stringify({ content: [{ type: "text", text: name }] })])
      }
      // What is only too large to describe can be called by an entry that is written by hand.
      expect((yield* leftOut).map(({ reason }) => reason)).toEqual(
        bad.slice(0, -1).map(([, reason]) => expect.stringContaining(reason) as string)
      )

      expect(server.called).toEqual(["one", "two", "three"])
    }).pipe(Effect.scoped)
  )
})
