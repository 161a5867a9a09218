import type { Offer } from "@tollgate/contract/account/Offer"
import type { CallStory, LoggedCalls } from "@tollgate/contract/account/LoggedCall"
import type { Page } from "playwright-core"
import type { ConsoleVisit } from "./consolePage.ts"

type Visit = Pick<ConsoleVisit, "address" | "key">

const read = async <A>({ address, key }: Visit, path: string): Promise<A> => {
  const answer = await fetch(`${address}/account/v1${path}`, { headers: { authorization: `Bearer ${key}` } })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return (await answer.json()) as A
}

export const offerOf = (visit: Visit): Promise<Offer> => read(visit, "/operations")
export const storyOf = (visit: Visit, id: string): Promise<CallStory> => read(visit, `/calls/${id}`)

/** The calls of an operation that were charged, and what they were charged together. */
export const chargedFor = async (visit: Visit, operation: string) => {
  const { calls } = await read<LoggedCalls>(visit, `/calls?limit=1000&operation=${encodeURIComponent(operation)}`)
  const charged = calls.filter(({ charged_micros_usd }) => Number(charged_micros_usd) > 0)
  return {
    calls: charged.length,
    micros: charged.reduce((sum, { charged_micros_usd }) => sum + BigInt(charged_micros_usd), 0n)
  }
}

/** Allows the only account more calls per minute than one file makes. */
export const raiseLimits = async ({ address }: Visit, admin: string): Promise<void> => {
  const headers = { authorization: `Bearer ${admin}`, "content-type": "application/json" }
  const listed = (await (await fetch(`${address}/admin/v1/accounts`, { headers })).json()) as {
    readonly accounts: ReadonlyArray<{ readonly id: string }>
  }
  const [account] = listed.accounts
  const body = JSON.stringify({ tier: "Growth" })
  await fetch(`${address}/admin/v1/accounts/${account?.id}`, { method: "PATCH", headers, body })
}

/** The parts of the playground that tests use, by what a person sees. */
export const playground = (tab: Page) => {
  const result = tab.getByRole("region", { name: "Result" })
  const figure = (label: string) =>
    result.locator("dl > div", { has: tab.locator("dt", { hasText: new RegExp(`^${label}$`) }) }).locator("dd")
  return {
    result,
    figure,
    choose: (id: string) =>
      tab.getByRole("navigation", { name: "Operations" }).locator(`a[href="/playground/${id}"]`).click(),
    run: () => tab.getByRole("button", { name: /^(Run|Send)$/ }).click(),
    stop: () => tab.getByRole("button", { name: "Stop" }).click(),
    /** Waits for the end of a run: `done`, `failed` or `stopped`. */
    ended: async () => {
      await tab.locator("[aria-label=Result]:is([data-state=done],[data-state=failed],[data-state=stopped])").waitFor()
      return result.getAttribute("data-state")
    },
    steps: tab.getByRole("region", { name: "What the client did" }).getByRole("listitem"),
    requestId: async () => (await figure("Request id").locator("code").textContent()) ?? "",
    asJson: async (text: string) => {
      await tab.getByRole("radio", { name: "As JSON" }).check()
      await tab.getByLabel("Arguments as JSON").fill(text)
    }
  }
}
