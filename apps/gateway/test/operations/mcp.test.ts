import { describe, expect, it } from "@effect/vitest"
import { sortTools } from "@tollgate/gateway/operator"
import { withoutRefused } from "../../src/operations/import/acceptable.ts"
import { compare } from "../../src/operations/import/compare.ts"
import { recordOf } from "../../src/operations/import/OperationsFile.ts"
import type { Fields } from "../../src/operations/import/values.ts"
import { importTools, type ToolOptions } from "../../src/operations/mcp/importTools.ts"

const options: ToolOptions = {
  upstream: "tools",
  prefix: "tools",
  price: { amount: "0.002" },
  prices: new Map(),
  only: []
}

const offered = (tools: ReadonlyArray<unknown>) => {
  const { leftOut, usable } = sortTools(tools, () => true)
  return { tools: [...usable.values()], leftOut }
}

const imported = (tools: ReadonlyArray<unknown>, more: Partial<ToolOptions> = {}) =>
  importTools({ server: "server", revision: "2025-11-25", ...offered(tools) }, { ...options, ...more })

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more })

const reasons = (tools: ReadonlyArray<unknown>) => imported(tools).findings.skipped.map(({ reason }) => reason)

describe("importing the tools of an MCP server", () => {
  it("describes arguments and results, and what a tool defines is written once", () => {
    const place = { type: "object", properties: { city: { type: "string" }, near: { $ref: "#/$defs/Place" } } }
    const { operations, schemas } = imported([
      tool("get-weather", {
        title: "Weather",
        description: "Tells the weather. In detail.",
        inputSchema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: { at: { $ref: "#/$defs/Place" } },
          required: ["at"],
          $defs: { Place: place }
        },
        outputSchema: { type: "object", properties: { degrees: { type: "number" } } }
      })
    ])
    const [name = ""] = Object.keys(schemas)
    expect(operations).toEqual([
      {
        id: "tools.get_weather",
        category: "tools",
        summary: "Weather",
        description: "Tells the weather. In detail.",
        method: "POST",
        path: "/apis/v1/tools/get_weather",
        body: {
          schema: { type: "object", properties: { at: { $ref: `#/schemas/${name}` } }, required: ["at"] },
          required: true
        },
        answer: {
          schema: expect.objectContaining({
            properties: expect.objectContaining({
              structuredContent: { type: "object", properties: { degrees: { type: "number" } } }
            }) as Fields
          }) as Fields
        },
        price: { amount: "0.002" },
        replay: "create",
        upstream: { name: "tools", tool: "get-weather" }
      }
    ])
    expect(schemas[name]).toEqual({
      type: "object",
      properties: { city: { type: "string" }, near: { $ref: `#/schemas/${name}` } }
    })
  })

  it("lets a call be repeated only if the server says that this does no harm", () => {
    const replays = (price: ToolOptions["price"]) =>
      imported(
        [
          tool("a"),
          tool("b", { annotations: { readOnlyHint: true } }),
          tool("c", { annotations: { idempotentHint: true, readOnlyHint: false } }),
          tool("d", { annotations: { destructiveHint: false } }),
          tool("e", { annotations: { readOnlyHint: "yes" } })
        ],
        { price }
      ).operations.map(({ replay }) => replay)
    expect(replays({ amount: "1" })).toEqual(["create", "billed", "billed", "create", "create"])
    expect(replays("free")).toEqual(["create", "free", "free", "create", "create"])
  })

  it("gives each tool its own price, or the one for all", () => {
    const { operations } = imported([tool("a"), tool("b")], { prices: new Map([["b", "free"]]), price: "pending" })
    expect(operations.map(({ price }) => price)).toEqual(["pending", "free"])
    expect(imported([tool("a"), tool("b")], { only: ["b"] }).operations.map(({ id }) => id)).toEqual(["tools.b"])
  })

  it("maps names that are no ids, and keeps the tool's own name", () => {
    const names = ["Get/Weather now", "get_weather_now", "../../admin", "工具", "__proto__", "x".repeat(200)]
    const { operations } = imported(names.map((name) => tool(name)))
    expect(operations.map(({ upstream }) => upstream)).toEqual(names.map((tool) => ({ name: "tools", tool })))
    expect(operations.map(({ id }) => id)).toEqual([
      "tools.get_weather_now",
      "tools.get_weather_now_2",
      "tools.admin",
      "tools.tool_4",
      "tools.proto",
      `tools.${"x".repeat(100)}`
    ])
    for (const { path } of operations) expect(path).toMatch(/^\/apis\/v1\/tools\/[a-z0-9_]+$/)
  })

  it("lists what it leaves out, with the reason", () => {
    let deep: object = {}
    for (let i = 0; i < 20_000; i++) deep = { items: deep }
    expect(
      reasons([
        7,
        tool(""),
        tool("x".repeat(1_000)),
        { name: "no-schema" },
        tool("task", { execution: { taskSupport: "required" } }),
        tool("deep", { inputSchema: deep }),
        tool("long", { inputSchema: { type: "object", description: "x".repeat(300_000) } }),
        tool("twice"),
        tool("twice"),
        tool("described", { description: "x".repeat(300_000) }),
        tool("a\u202eb"),
        tool("line\nbreak"),
        tool("half\ud800"),
        tool("text", { inputSchema: { type: "string" } }),
        tool("list", { inputSchema: [] }),
        tool("broken", { inputSchema: { type: "object", properties: { a: 7 } } }),
        tool("names", { inputSchema: { type: "object", required: "a" } })
      ]).toSorted()
    ).toEqual(
      [
        "is not a tool",
        "has no usable name",
        "has no usable name",
        "does not describe its arguments",
        "runs only as a task, which the gateway does not begin",
        "has schemas that are nested deeper than 100 levels",
        "is described in more than 256 kB",
        "is listed twice",
        "is described in more than 256 kB",
        "has hidden characters in its name",
        "has hidden characters in its name",
        "has hidden characters in its name",
        "takes arguments that are not an object",
        "does not describe its arguments",
        "describes its arguments by an invalid schema",
        "describes its arguments by an invalid schema"
      ].toSorted()
    )
  })

  it("leaves out what the configuration would refuse, with what only that needs, and carries the rest", () => {
    const bad = { $ref: "#/$defs/Bad" }
    const all = imported([
      tool("good"),
      tool("shared", {
        inputSchema: {
          type: "object",
          properties: { a: bad, b: { $ref: "#/$defs/Good" } },
          $defs: { Bad: { type: "object" }, Good: { type: "object", properties: { c: { $ref: "#/$defs/Good" } } } }
        }
      }),
      tool("fine")
    ])
    const [first = {}, second = {}, ...rest] = all.operations
    const name = Object.keys(all.schemas).find((name) => name !== "ToolResult") ?? ""
    const kept = withoutRefused(
      {
        ...all,
        operations: [
          { ...first, body: { schema: { type: "nothing" } } },
          second,
          { ...first, id: "tools.again" },
          { ...first, id: "Not An Id" },
          ...rest
        ],
        schemas: { ...all.schemas, [name]: { type: "object", properties: { d: { pattern: "(" } } } }
      },
      { name: "tools", protocol: "mcp" }
    )
    expect(kept.operations.map(({ id }) => id)).toEqual(["tools.fine"])
    expect(Object.keys(kept.schemas)).toEqual(["ToolResult"])
    expect(kept.findings.skipped.map(({ place }) => place)).toEqual([
      "tools.good",
      "tools.good",
      "tools.good",
      "tools.shared"
    ])
    for (const { reason } of kept.findings.skipped) expect(reason).toMatch(/^the configuration would refuse it: /)
  })

  it("gives a new tool a path of its own if an older one of a like name has the path already", () => {
    const before = imported([tool("Get It")])
    const file = { ...before, record: recordOf(before) }
    const { operations } = compare(file, imported([tool("get_it"), tool("Get It"), tool("get it")]), "tools").file
    expect(operations.map(({ path, upstream }) => [path, (upstream as { tool: string }).tool])).toEqual([
      ["/apis/v1/tools/get_it", "Get It"],
      ["/apis/v1/tools/get_it_2", "get_it"],
      ["/apis/v1/tools/get_it_3", "get it"]
    ])
    expect(new Set(operations.map(({ id }) => id)).size).toBe(3)
  })

  it("carries ten thousand tools", () => {
    const { operations } = imported(Array.from({ length: 10_000 }, (_, i) => tool(`tool ${i}`)))
    expect(new Set(operations.map(({ path }) => path)).size).toBe(10_000)
  })
})
