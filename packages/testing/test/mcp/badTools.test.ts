import { describe, expect, it } from "@effect/vitest"
import { sdkServer } from "@tollgate/testing/mcp/sdkServer"
import { post, sellingTools } from "@tollgate/testing/mcp/soldTools"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more })

const lines: Array<unknown> = []
const logger = Logger.layer([Logger.make(({ message }) => void lines.push(message))])

describe("a list of tools that changes while they are sold", () => {
  it.live("is read again for a tool that is missing, and what is bad in it is told once and blocks nothing", () =>
    Effect.gen(function* () {
      const tools = { list: [{ name: "bare" }, tool("one")] as ReadonlyArray<unknown> }
      const server = yield* sdkServer(tools)
      const sold = ["one", "two", "three"].map((name) => ({ id: `tools.${name}`, tool: name }))
      const told = () => lines.filter((line) => JSON.stringify(line).includes("are left out"))
      yield* Effect.gen(function* () {
        expect(yield* post("tools.one", {})).toMatchObject({ status: 200, cost: "2000" })
        expect(told()).toEqual([
          [
            "tools of an MCP server are left out",
            { upstream: "server-0", count: 1, tools: ['"bare" does not describe its arguments'] }
          ]
        ])
        tools.list = [7, tool("two"), tool("two"), tool("three", { inputSchema: { type: "string" } }), ...tools.list]
        expect(yield* post("tools.two", {})).toMatchObject({ status: 200, cost: "2000" })
        expect(yield* post("tools.one", {})).toMatchObject({ status: 200, cost: "2000" })
        const refused = yield* post("tools.three", {})
        expect(refused).toMatchObject({ status: 503 })
        expect(refused.cost ?? "0").toBe("0")
        expect(refused.text).toContain("upstream_misconfigured")
        expect(told()).toHaveLength(2)
        expect(told()[1]).toMatchObject([
          "tools of an MCP server are left out",
          {
            tools: [
              '"0" is not a tool',
              '"two" is listed twice',
              '"three" takes arguments that are not an object',
              '"bare" does not describe its arguments'
            ]
          }
        ])
      }).pipe(Effect.provide(Layer.provide(sellingTools(sold, [Number(new URL(server.address).port)]), logger)))
      expect(server.called).toEqual(["one", "two", "one"])
    }).pipe(Effect.scoped)
  )
})
