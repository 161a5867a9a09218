import type { BrowserContextOptions, Page } from "playwright-core"
import type { ConsoleVisit } from "./consolePage.ts"

export const adminToken = "operator-token-0123456789"

type Visit = Pick<ConsoleVisit, "address" | "open">

/** Opens a page of the operator and signs in with the admin token. */
export const asOperator = async ({ open }: Visit, path = "/operator", options: BrowserContextOptions = {}) => {
  const tab = await open(path, options)
  await tab.getByLabel("Admin token").fill(adminToken)
  await tab.getByLabel("Admin token").press("Enter")
  await tab.getByRole("navigation", { name: "Operator" }).waitFor()
  return tab
}

/** A request to the admin API, past the console. */
export const admin = async <A>({ address }: Visit, path: string, body?: object, method = "POST"): Promise<A> => {
  const answer = await fetch(`${address}/admin/v1${path}`, {
    method: body === undefined ? "GET" : method,
    headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as A
}

/** The status of a call of the model in the sandbox, or of another one. */
export const chat = async ({ address }: Visit, key: string, model = "sandbox"): Promise<number> => {
  const answer = await fetch(`${address}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Why is the sky blue?" }] })
  })
  await answer.arrayBuffer()
  return answer.status
}

/** Stops requests to paths that end so until `release` is called, and counts them. */
export const holdRequests = async (tab: Page, ending: string) => {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const held = { count: 0, release: () => release() }
  await tab.route(`**${ending}`, async (route) => {
    held.count++
    await released
    await route.continue()
  })
  return held
}
