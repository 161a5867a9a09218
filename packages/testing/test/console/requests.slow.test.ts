import { expect } from "@effect/vitest"
import { consoleTests } from "@tollgate/testing/console/consolePage"
import { adminToken, callsWith, newKey, withAdmin } from "@tollgate/testing/console/newKey"
import type { Page } from "playwright-core"

/** What a page asks for until it rests. What it asks for again in the meantime counts once. */
const opened = async (tab: Page, address: string): Promise<ReadonlyArray<string>> => {
  const asked = new Set<string>()
  const note = (request: { readonly url: () => string }) => void asked.add(request.url())
  tab.on("request", note)
  await tab.goto(address, { waitUntil: "networkidle" })
  await tab.getByRole("heading", { level: 1 }).waitFor()
  tab.off("request", note)
  return [...asked]
}

const account = [
  "/",
  "/billing",
  "/playground",
  "/playground/chat.completions",
  "/calls",
  "/tasks",
  "/limits",
  "/links",
  "/grants"
]
const operator = [
  "",
  "/accounts",
  "/calls",
  "/search?q=a",
  "/billing",
  "/prices",
  "/upstreams",
  "/operations",
  "/health",
  "/configuration"
]

consoleTests(withAdmin, (inConsole) => {
  inConsole("a page opens with at most 13 requests", async (visit) => {
    const created = await newKey(visit)
    await callsWith(visit, created.key).chat()
    const tab = await visit.signedIn("/limits", { key: created.key })
    await tab.goto(`${visit.address}/operator`)
    await tab.getByLabel("Admin token").fill(adminToken)
    await tab.getByLabel("Admin token").press("Enter")
    await tab.getByRole("navigation", { name: "Operator" }).waitFor()
    const paths = [
      ...account,
      "/tools",
      ...[...operator, `/accounts/${created.account}`].map((path) => `/operator${path}`)
    ]
    for (const path of paths) {
      const asked = await opened(tab, `${visit.address}${path}`)
      expect(asked.length, `${path}: ${asked.join(" ")}`).toBeGreaterThan(3)
      expect(asked.length, `${path}: ${asked.join(" ")}`).toBeLessThanOrEqual(13)
    }
  })
})
