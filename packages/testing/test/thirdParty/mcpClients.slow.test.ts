import * as V2 from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { describe, expect, it } from "@effect/vitest"
import { Served } from "@tollgate/testing/hostile/Served"
import { key, TestGateway } from "@tollgate/testing/TestGateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const info = { name: "test", version: "1.0.0" }

/** What the tests use of a client. */
interface McpClient {
  readonly listTools: () => Promise<{ readonly tools: ReadonlyArray<{ readonly name: string }> }>
  readonly callTool: (call: {
    readonly name: string
    readonly arguments: Record<string, unknown>
  }) => Promise<Readonly<Record<string, unknown>>>
  readonly close: () => Promise<void>
}

const requestInit = (credential: string) => ({ headers: { authorization: `Bearer ${credential}` } })

/** The official clients: of the first generation, and of the second in both of its modes. */
const clients: Readonly<Record<string, (url: URL, credential: string) => Promise<McpClient>>> = {
  "@modelcontextprotocol/sdk 1.32": async (url, credential) => {
    const client = new Client(info)
    const transport = new StreamableHTTPClientTransport(url, { requestInit: requestInit(credential) })
    // Its own type of a transport does not fit exactOptionalPropertyTypes.
    await client.connect(transport as Parameters<typeof client.connect>[0])
    return client
  },
  "@modelcontextprotocol/client 2.4, with a session": async (url, credential) => {
    const client = new V2.Client(info, { versionNegotiation: { mode: "legacy" } })
    await client.connect(new V2.StreamableHTTPClientTransport(url, { requestInit: requestInit(credential) }))
    return client
  },
  "@modelcontextprotocol/client 2.4, revision 2026-07-28": async (url, credential) => {
    const client = new V2.Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
    await client.connect(new V2.StreamableHTTPClientTransport(url, { requestInit: requestInit(credential) }))
    return client
  },
  "@modelcontextprotocol/client 2.4, which chooses the revision": async (url, credential) => {
    const client = new V2.Client(info, { versionNegotiation: { mode: "auto" } })
    await client.connect(new V2.StreamableHTTPClientTransport(url, { requestInit: requestInit(credential) }))
    return client
  }
}

const gateway = Layer.provideMerge(Served.layer(), TestGateway.layer({ sandbox: "all" }))

const question = { query: "river", documents: ["A river.", "A mountain."] }

describe.each(Object.entries(clients))("%s", (_, connect) => {
  const connected = Effect.flatMap(Served, ({ baseUrl }) =>
    Effect.acquireRelease(
      Effect.promise(() => connect(new URL(`${baseUrl}/mcp`), key)),
      (client) => Effect.promise(() => client.close())
    )
  )

  it.live("lists and calls the five tools with a key, and reads their text", () =>
    Effect.gen(function* () {
      const client = yield* connected
      const call = (name: string, input: Record<string, unknown>) =>
        Effect.promise(async () => {
          const { content, isError, structuredContent } = await client.callTool({ name, arguments: input })
          const [first] = content as ReadonlyArray<{ readonly text: string }>
          expect(structuredContent).toBeUndefined()
          return { isError: isError === true, ...(JSON.parse(first?.text ?? "") as object) }
        })
      const { tools } = yield* Effect.promise(() => client.listTools())
      expect(tools.map(({ name }) => name)).toEqual(["search", "get_details", "list_categories", "use", "batch_use"])

      expect(yield* call("list_categories", {})).toMatchObject({ isError: false })
      expect(yield* call("search", { query: "rank documents by relevance" })).toMatchObject({
        results: expect.arrayContaining([expect.objectContaining({ operation_id: "rerank" })])
      })
      expect(yield* call("get_details", { operation_id: "rerank" })).toMatchObject({
        details: { operation_id: "rerank" }
      })

      const used = { operation_id: "rerank", arguments: question, max_price_usd: 0.01 }
      expect(yield* call("use", used)).toMatchObject({ isError: false, status: 200, cost: { state: "settled" } })
      expect(yield* call("use", { ...used, max_price_usd: 0 })).toMatchObject({
        isError: true,
        error: { code: "over_cap" }
      })
      expect(yield* call("batch_use", { calls: [used, used], max_total_usd: 0.02 })).toMatchObject({
        isError: false,
        results: [{ status: 200 }, { status: 200 }]
      })
    }).pipe(Effect.scoped, Effect.provide(gateway))
  )

  it.live("sees what is wrong with its arguments after it has listed the tools", () =>
    Effect.gen(function* () {
      const client = yield* connected
      yield* Effect.promise(() => client.listTools())
      const used = { operation_id: "rerank", arguments: question, max_price_usd: 0.01 }
      const mistakes: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
        ["search", {}],
        ["get_details", { id: "rerank" }],
        ["list_categories", { name: "x" }],
        ["use", { arguments: question }],
        ["use", { ...used, max_price_usd: "cheap" }],
        ["use", { ...used, arguments: "query=x" }],
        ["batch_use", { calls: [] }]
      ]
      for (const [name, input] of mistakes) {
        const result = yield* Effect.promise(() => client.callTool({ name, arguments: input }))
        expect(result, name).toMatchObject({
          isError: true,
          content: [{ text: expect.stringContaining('"code":"invalid_arguments"') as unknown }]
        })
      }
    }).pipe(Effect.scoped, Effect.provide(gateway))
  )

  it.live("is refused with a wrong key", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Served
      const refused = yield* Effect.promise(() =>
        connect(new URL(`${baseUrl}/mcp`), `${key}x`).then(
          () => "connected",
          (error: unknown) => String(error)
        )
      )
      expect(refused).toMatch(/not valid|401/)
    }).pipe(Effect.scoped, Effect.provide(gateway))
  )
})
