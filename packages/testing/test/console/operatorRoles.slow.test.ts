import { expect } from "@effect/vitest"
import type { Account } from "@tollgate/contract/admin/Account"
import type { Role } from "@tollgate/contract/Api"
import { axe, consoleTests, type ConsoleVisit, phone } from "@tollgate/testing/console/consolePage"
import { admin, adminToken, asOperator, chat } from "@tollgate/testing/console/operator"
import type { Page } from "playwright-core"

/** What each role may press, besides what only looks, copies or tries. */
const finance = ["Change terms", "Record a chargeback", "Adjust balance", "Top up", "Create an account"]
const support = [
  "Create a key",
  /^Change \w+$/,
  /^Rotate /,
  /^Revoke (?!the access)/,
  "Create a service account",
  "Refund this call"
]
const owner = ["Reload", "Add an operator", /^Sign-in link for /, /^End (Ada|Rea)$/, /^Change (Ada|Rea)$/]

const pages = [
  "",
  "/accounts",
  "/calls",
  "/billing",
  "/prices",
  "/upstreams",
  "/operations",
  "/health",
  "/configuration",
  "/team"
]

const buttonsOn = async (tab: Page, address: string, path: string) => {
  await tab.goto(`${address}/operator${path}`, { waitUntil: "networkidle" })
  await tab.getByRole("heading", { level: 1 }).waitFor()
  return tab
    .getByRole("button")
    .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? one.textContent))
}

const someCall = async (visit: ConsoleVisit) => {
  const { accounts } = await admin<{ accounts: ReadonlyArray<Account> }>(visit, "/accounts")
  const { id } = accounts[0]!
  expect(await chat(visit, visit.key)).toBe(200)
  const { calls } = await admin<{ calls: ReadonlyArray<{ id: string }> }>(visit, "/calls")
  return { account: `/accounts/${id}`, call: `/calls/${id}/${calls[0]!.id}` }
}

const signedIn = async (visit: ConsoleVisit, role: Role, name: string) => {
  const { id } = await admin<{ id: string }>(visit, "/operators", { name, role })
  const { url } = await admin<{ url: string }>(visit, `/operators/${id}/links`, {})
  const tab = await visit.open(url.replace(/^https?:\/\/[^/]+/, ""))
  await tab.getByRole("navigation", { name: "Operator" }).waitFor()
  return tab
}

const config = { prices: { operations: { rerank: { contract: "per_request", amount: "0.01" } } }, sandbox: true }
const env = { TOLLGATE_ADMIN_TOKEN: adminToken, TOLLGATE_CONFIG_WRITE: "on" }

consoleTests({ env, config }, (inConsole) => {
  const all = [...finance, ...support, ...owner]
  const isOf = (of: typeof all) => (name: string | null) =>
    of.some((each) => (typeof each === "string" ? each === name : each.test(name ?? "")))

  inConsole("nobody sees a button that the gateway would refuse, and each reads whom to ask", async (visit) => {
    const { account, call } = await someCall(visit)
    const tabs = {
      reader: await signedIn(visit, "reader", "Rea"),
      support: await signedIn(visit, "support", "Ada"),
      owner: await asOperator(visit, "/operator")
    }
    const may = { reader: isOf([]), support: isOf(support), owner: isOf(all) }
    const seen = { reader: new Set(), support: new Set(), owner: new Set<string | null>() }
    for (const role of ["reader", "support", "owner"] as const) {
      for (const path of [...pages, account, call]) {
        const buttons = (await buttonsOn(tabs[role], visit.address, path)).filter(isOf(all))
        for (const name of buttons) seen[role].add(name)
        expect([role, path, buttons.filter((name) => !may[role](name))]).toEqual([role, path, []])
      }
    }
    // The owner's pages have all of them.
    for (const each of all) expect([String(each), [...seen.owner].some(isOf([each]))]).toEqual([String(each), true])
    for (const each of support) expect([...seen.support].some((name) => isOf([each])(String(name)))).toBe(true)

    const { reader } = tabs
    for (const [path, words] of [
      [account, "Ask an owner or somebody in finance."],
      [account, "Ask an owner or somebody in support."],
      [call, "Ask an owner or somebody in finance or support."],
      ["/configuration", "Ask an owner to reload it."],
      ["/team", "Ask an owner to change this."]
    ] as const) {
      await reader.goto(`${visit.address}/operator${path}`)
      await reader.getByText(words).waitFor()
      expect(await axe(reader)).toEqual([])
    }
    await reader.setViewportSize(phone)
    expect(await reader.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false)

    // A reader tries prices, and applies none.
    await reader.goto(`${visit.address}/operator/prices`)
    await reader.getByRole("button", { name: "Multiply" }).click()
    await reader.getByText("Ask an owner or somebody in finance to apply them.").waitFor()
    expect(await reader.getByRole("button", { name: /^Change \d+ price/ }).count()).toBe(0)
  })
})
