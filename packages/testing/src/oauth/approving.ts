import { micro } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import { key } from "../TestGateway.ts"
import { Browser } from "./Browser.ts"
import { TestClient } from "./client.ts"
import { OAuthGateway } from "./OAuthGateway.ts"

const question = (query: string) =>
  JSON.stringify({ query, documents: ["river mountain sea shore ".repeat(50)], top_n: 1 })

export const linkIn = (text: string): string => /http\S+\/account\/approvals\/ap_\w{32}/.exec(text)?.[0] ?? ""

export const codeOf = (text: string): unknown =>
  (JSON.parse(text) as { readonly error?: { readonly code: unknown } }).error?.code

/** A client whose every billed call needs approval. */
export const connected = Effect.gen(function* () {
  const gateway = yield* OAuthGateway
  const { account, baseUrl, grants, sql } = gateway
  const client = yield* Effect.promise(() => TestClient.register(baseUrl))
  const tokens = yield* Effect.promise(() => client.signIn())
  const id = (yield* grants.list(account))[0]?.id ?? ""
  yield* grants.change(id, { askAbove: micro(1n) })
  const ask = (query: string, headers: Readonly<Record<string, string>> = {}) =>
    Effect.promise(async () => {
      const response = await fetch(`${baseUrl}/v1/rerank`, {
        method: "POST",
        headers: { authorization: `Bearer ${tokens.access_token}`, "content-type": "application/json", ...headers },
        body: question(query)
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
  const calls = Effect.map(
    sql`SELECT id, charged FROM calls WHERE key = ${id} AND state = 'settled'`,
    (rows) => rows.length
  )
  return { ...gateway, ask, calls, client, id, tokens }
})

/** The token of the form that is sent there. Each form has one of its own. */
export const tokenOf = (html: string, address: string): string =>
  html
    .split("<form")
    .filter((form) => form.includes(`action="${new URL(address).pathname}"`))
    .map((form) => /name="token" value="([^"]*)"/.exec(form)?.[1])[0] ?? ""

/** A person who is signed in. */
export const signedIn = async (link: string, own = key) => {
  const browser = new Browser()
  const page = await (await browser.fetch(link)).text()
  const sent = await browser.post(`${link}/sign-in`, { token: tokenOf(page, `${link}/sign-in`), key: own })
  if (sent.status !== 303) throw new Error(`signing in was answered with ${sent.status}`)
  return browser
}

export const decide = async (browser: Browser, link: string, decision: string) => {
  const page = await (await browser.fetch(link)).text()
  await browser.post(link, { token: tokenOf(page, link), decision })
  return { before: page, after: await (await browser.fetch(link)).text() }
}
