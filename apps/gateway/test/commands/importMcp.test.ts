import { describe, expect, it } from "@effect/vitest"
import { toolUpstream, type ToolUpstreamOptions } from "@tollgate/testing/mcp/toolUpstream"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll } from "vitest"
import { mcpUpstream } from "../../src/operations/mcp/mcpUpstream.ts"
import { addressIn, folder, keyIn, removeFolders } from "../program.ts"
import { startGateway, tollgate } from "../tollgate.ts"

afterAll(removeFolders)

const echo = { call: () => {} }
const secret = "a-secret-of-the-operator-0123456789"

/** A server of tools, and the command in a folder with a configuration file. */
const importing = (options: Partial<ToolUpstreamOptions> & { readonly upstream?: (port: number) => object } = {}) =>
  Effect.gen(function* () {
    const tools: ToolUpstreamOptions["tools"] = { echo, add: echo, ...options.tools }
    const server = yield* toolUpstream({ ...options, tools })
    const address = `http://127.0.0.1:${server.port}/mcp`
    const data = folder()
    const config = join(data, "tollgate.jsonc")
    const upstream = options.upstream?.(server.port) ?? {
      baseUrl: address,
      protocol: "mcp",
      private: true,
      credential: { env: "TOOLS_KEY" }
    }
    writeFileSync(config, JSON.stringify({ upstreams: { tools: upstream } }))
    const file = join(data, "tools.operations.json")
    const run = (...words: ReadonlyArray<string>) =>
      Effect.promise(() =>
        tollgate(
          { TOLLGATE_CONFIG: config, TOLLGATE_DATA: data, TOOLS_KEY: secret },
          "operations",
          "import",
          "mcp",
          address,
          ...words
        )
      )
    return {
      server,
      tools,
      upstream,
      config,
      data,
      run,
      written: () =>
        JSON.parse(readFileSync(file, "utf8")) as {
          operations: ReadonlyArray<{ id: string; price: unknown; upstream: unknown }>
        }
    }
  })

const named = ["--upstream", "tools"]

describe("operations import mcp", () => {
  it.live("writes the tools as operations with their prices, read with the upstream's credential", () =>
    Effect.gen(function* () {
      const { run, server, written } = yield* importing()
      const { code, stderr, stdout } = yield* run(...named, "--price", "0.002", "--price", "add=0.01")
      expect([code, stderr]).toEqual([0, ""])
      expect(stdout).toContain("test, MCP 2025-11-25: 2 of 2 tools imported.")
      expect(written().operations.map(({ id, price }) => [id, price])).toEqual([
        ["tools.echo", { amount: "0.002" }],
        ["tools.add", { amount: "0.01" }]
      ])
      expect(new Set(server.received.map(({ headers }) => headers.authorization))).toEqual(
        new Set([`Bearer ${secret}`])
      )
      expect(server.sessions.size).toBe(0)
    }).pipe(Effect.scoped)
  )

  it.live("is sold by a gateway with the file, which checks arguments and ends its session when it stops", () =>
    Effect.gen(function* () {
      const inputSchema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] }
      const { config, data, run, server, upstream } = yield* importing({
        tools: {
          add: {
            inputSchema,
            call: ({ arguments: { a }, result }) => result({ content: [], structuredContent: { a } })
          }
        }
      })
      yield* run(...named, "--price", "0.002")
      const operations = [{ file: "tools.operations.json" }]
      writeFileSync(config, JSON.stringify({ upstreams: { tools: upstream }, operations, sandbox: true }))
      const environment = { TOLLGATE_CONFIG: config, TOLLGATE_DATA: data, TOOLS_KEY: secret }
      const gateway = yield* Effect.promise(() => startGateway(environment))
      const call = (body: object) =>
        Effect.promise(async () => {
          const answer = await fetch(`${addressIn(gateway.banner)}/apis/v1/tools/add`, {
            method: "POST",
            headers: { authorization: `Bearer ${keyIn(gateway.banner)}`, "content-type": "application/json" },
            body: JSON.stringify(body)
          })
          return [answer.status, answer.headers.get("x-tollgate-cost-micros-usd"), await answer.text()]
        })
      expect(yield* call({ a: 1 })).toEqual([200, "2000", '{"content":[],"structuredContent":{"a":1}}'])
      expect((yield* call({ a: "one" }))[0]).toBe(400)
      expect(server.sessions.size).toBe(1)
      yield* Effect.promise(gateway.stop)
      expect(server.sessions.size).toBe(0)
    }).pipe(Effect.scoped)
  )

  it.live("shows what changed at the server, and keeps prices when it updates the file", () =>
    Effect.gen(function* () {
      const { run, tools, written } = yield* importing()
      yield* run(...named, "--price", "0.002")
      delete tools["echo"]
      tools["sub"] = echo
      const shown = yield* run(...named)
      expect(shown.stdout).toMatch(/removed +tools.echo/)
      expect(shown.stdout).toMatch(/added +tools.sub/)
      expect(written().operations.map(({ id }) => id)).toEqual(["tools.echo", "tools.add"])
      yield* run(...named, "--update")
      expect(written().operations.map(({ id, price }) => [id, price])).toEqual([
        ["tools.add", { amount: "0.002" }],
        ["tools.sub", "pending"]
      ])
    }).pipe(Effect.scoped)
  )

  it.live("sends the credential to no other address than the upstream's", () =>
    Effect.gen(function* () {
      const { run, server } = yield* importing({
        upstream: () => ({ baseUrl: "https://other.example/mcp", protocol: "mcp", credential: { env: "TOOLS_KEY" } })
      })
      const { code, stderr } = yield* run(...named)
      expect(code).toBe(1)
      expect(stderr).toContain("Its credential is sent to no other address.")
      yield* run("--upstream", "unnamed")
      expect(server.received.length).toBeGreaterThan(0)
      for (const { headers } of server.received) expect(headers.authorization).toBeUndefined()
    }).pipe(Effect.scoped)
  )

  it.live("does not repeat an address that has a password or a token in it", () =>
    Effect.gen(function* () {
      for (const address of ["https://me:s3cret@tools.example/mcp", "https://tools.example/mcp?token=s3cret"]) {
        const failed = yield* Effect.flip(mcpUpstream(undefined, "tools", address))
        expect(failed.message).toMatch(/^https:\/\/tools\.example\/mcp: /)
      }
    })
  )

  it.live("tells clearly what is wrong with a server, without the credential", () =>
    Effect.gen(function* () {
      const failing = Effect.fnUntraced(function* (
        before: NonNullable<ToolUpstreamOptions["before"]>,
        ...words: ReadonlyArray<string>
      ) {
        const { run } = yield* importing({ before })
        const { code, stderr } = yield* run(...named, ...words)
        expect(code).toBe(1)
        expect(stderr).not.toContain(secret)
        return stderr
      })
      const status = (code: number, body = "") =>
        failing((_, response) => (response.writeHead(code, { "content-type": "text/html" }).end(body), true))
      expect(yield* status(401)).toContain("it refuses the credential (status 401)")
      expect(yield* status(404)).toContain("MCP HTTP status 404")
      expect(yield* status(200, `<p>${secret}</p>`)).toContain("cannot be read as an MCP server")
      expect(
        yield* failing(({ id, method }, response) => {
          if (method !== "initialize") return false
          const error = { code: -32603, message: `no ${secret}` }
          response.writeHead(200, { "content-type": "application/json" })
          response.end(JSON.stringify({ jsonrpc: "2.0", id, error }))
          return true
        })
      ).toContain("no [redacted]")
      const none = () => false
      expect(yield* failing(none, "--only", "nothing")).toContain("--only matches no tool.")
      expect(yield* failing(none, "--price", "nothing=1")).toContain('--price names "nothing"')
      expect(yield* failing(none, "--price", "cheap")).toContain("an amount of USD")
    }).pipe(Effect.scoped)
  )
})
