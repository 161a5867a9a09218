import { createHash, randomUUID } from "node:crypto"
import type { ConsoleVisit } from "./consolePage.ts"

/** Nothing listens there: the code is in the address. */
const redirectUri = "http://127.0.0.1:58231/agent"

const json = async (url: string, init: RequestInit): Promise<Readonly<Record<string, string>>> =>
  (await (await fetch(url, { method: "POST", ...init })).json()) as Record<string, string>

export interface LetIn {
  readonly key: string
  readonly name: string
  readonly scope: string
  /** In USD. */
  readonly limit: string
}

/** An agent asks for access, and a person allows it in the browser. The access token. */
export const letIn = async (
  { address, browser }: ConsoleVisit,
  { key, limit, name, scope }: LetIn
): Promise<string> => {
  const { client_id = "" } = await json(`${address}/oauth/register`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirectUri], token_endpoint_auth_method: "none" })
  })
  const verifier = `${randomUUID()}${randomUUID()}`
  const query = new URLSearchParams({
    client_id,
    response_type: "code",
    redirect_uri: redirectUri,
    scope,
    state: "s",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: address
  })
  const context = await browser.newContext()
  const tab = await context.newPage()
  await tab.goto(`${address}/oauth/authorize?${query.toString()}`)
  await tab.getByLabel("API key").fill(key)
  await tab.getByRole("button", { name: "Sign in", exact: true }).click()
  await tab.getByRole("textbox", { name: "Budget in USD", exact: true }).fill(limit)
  const returned = tab.waitForRequest((request) => request.url().startsWith(redirectUri))
  await tab.getByRole("button", { name: "Approve" }).click()
  const code = new URL((await returned).url()).searchParams.get("code") ?? ""
  await context.close()
  const { access_token = "" } = await json(`${address}/oauth/token`, {
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      client_id,
      code_verifier: verifier,
      resource: address
    })
  })
  return access_token
}
