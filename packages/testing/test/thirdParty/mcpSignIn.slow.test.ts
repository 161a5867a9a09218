import * as V2 from "@modelcontextprotocol/client"
import { type OAuthDiscoveryState, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { chromium, hasChromium } from "@tollgate/testing/chromium"
import { makeProvider } from "@tollgate/testing/oauth/mcpProvider"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { site } from "@tollgate/testing/oauth/pagesInChromium"
import { key } from "@tollgate/testing/TestGateway"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"

const info = { name: "test", version: "1.0.0" }

/** A call of a tool by a client that has to sign in first. */
interface SignedOutClient {
  /** Ends with the address to which the client sends its user. */
  readonly begin: () => Promise<string>
  /** Takes the parameters that came back, and calls the tool. */
  readonly finish: (answer: URLSearchParams, tool: string, input: Record<string, unknown>) => Promise<unknown>
  readonly tokens: () =>
    | { readonly scope?: string | undefined; readonly refresh_token?: string | undefined }
    | undefined
}

const unauthorized = (connecting: Promise<unknown>, type: abstract new (...args: never) => Error) =>
  connecting.then(
    () => expect.fail("connected without signing in"),
    (error: unknown) => expect(error).toBeInstanceOf(type)
  )

const clients: Readonly<Record<string, (url: URL, redirectUrl: string) => SignedOutClient>> = {
  "@modelcontextprotocol/sdk 1.32": (url, redirectUrl) => {
    const { opened, provider, tokens } = makeProvider<OAuthClientInformationMixed, OAuthTokens, OAuthDiscoveryState>(
      redirectUrl
    )
    const connect = async () => {
      const client = new Client(info)
      const transport = new StreamableHTTPClientTransport(url, { authProvider: provider })
      await client.connect(transport as Parameters<typeof client.connect>[0])
      return client
    }
    return {
      begin: async () => {
        await unauthorized(connect(), UnauthorizedError)
        return opened()
      },
      finish: async (answer, name, input) => {
        const transport = new StreamableHTTPClientTransport(url, { authProvider: provider })
        await transport.finishAuth(answer.get("code") ?? "")
        const client = await connect()
        const result = await client.callTool({ name, arguments: input })
        await client.close()
        return result
      },
      tokens
    }
  },
  "@modelcontextprotocol/client 2.4": (url, redirectUrl) => {
    const { opened, provider, tokens } = makeProvider<
      V2.StoredOAuthClientInformation,
      V2.StoredOAuthTokens,
      V2.OAuthDiscoveryState
    >(redirectUrl)
    const connect = async () => {
      const client = new V2.Client(info, { versionNegotiation: { mode: "auto" } })
      await client.connect(new V2.StreamableHTTPClientTransport(url, { authProvider: provider }))
      return client
    }
    return {
      begin: async () => {
        await unauthorized(connect(), V2.UnauthorizedError)
        return opened()
      },
      finish: async (answer, name, input) => {
        await new V2.StreamableHTTPClientTransport(url, { authProvider: provider }).finishAuth(answer)
        const client = await connect()
        const result = await client.callTool({ name, arguments: input })
        await client.close()
        return result
      },
      tokens
    }
  }
}

const approve = async (tab: Page, limit: string) => {
  await tab.getByLabel("API key").fill(key)
  await tab.getByRole("button", { name: "Sign in", exact: true }).click()
  await tab.getByRole("textbox", { name: "Budget in USD", exact: true }).fill(limit)
  await tab.getByRole("button", { name: "Approve" }).click()
}

const used = {
  operation_id: "rerank",
  arguments: { query: "river", documents: ["A river. ".repeat(100)] },
  max_price_usd: 0.01
}

describe.each(Object.entries(clients))("%s", (_, make) => {
  it.live.skipIf(!hasChromium)(
    "finds the authorization server, registers, signs its user in in Chromium, and calls a tool",
    () =>
      Effect.gen(function* () {
        const { account, baseUrl, grants } = yield* OAuthGateway
        const redirectUrl = `${yield* site("<title>The agent</title>")}/callback`
        const browser = yield* chromium
        const client = make(new URL(`${baseUrl}/mcp`), redirectUrl)
        const result = yield* Effect.promise(async () => {
          const tab = await browser.newPage()
          await tab.goto(await client.begin())
          await approve(tab, "0.5")
          await tab.waitForURL(`${redirectUrl}?**`)
          const answer = new URL(tab.url()).searchParams
          expect(answer.get("state")).toBe("the-state")
          return client.finish(answer, "use", used)
        })
        expect(result).toMatchObject({
          content: [{ text: expect.stringContaining('"cost":{"state":"settled"') as unknown }]
        })
        expect(client.tokens()?.refresh_token).toBeDefined()
        const [grant] = yield* grants.list(account)
        expect(grant).toMatchObject({ client: { name: "An agent" }, limit: micro(500_000n), ended: false })
        expect(grant?.spent).toBeGreaterThan(0n)
      }).pipe(Effect.scoped, Effect.provide(OAuthGateway.layer()))
  )
})
