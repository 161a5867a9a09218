import { expect } from "@effect/vitest"
import { axe, consoleTests, type ConsoleVisit, phone } from "@tollgate/testing/console/consolePage"
import { adminToken, asOperator } from "@tollgate/testing/console/operator"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll } from "vitest"

/** Reports a field of usage that nobody knows, and a tier that has no price. */
const upstream = createServer((request, response) => {
  request.resume().on("end", () => {
    const answer = {
      model: "m",
      service_tier: "turbo",
      choices: [{ message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1_000, completion_tokens: 100, [`dreams_${"of_electric_sheep_".repeat(5)}tokens`]: 7 }
    }
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer))
  })
})
await new Promise<void>((listening) => upstream.listen(0, "127.0.0.1", listening))
afterAll(() => void upstream.close())

const configWith = (model: object) => ({
  upstreams: {
    own: {
      baseUrl: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
      protocol: "openai",
      private: true
    }
  },
  routes: [{ operation: "chat.completions", to: [{ upstream: "own" }] }],
  prices: { models: { m: { input: "1", output: "10", ...model } } }
})

const chat = async ({ address, key }: ConsoleVisit) => {
  const answer = await fetch(`${address}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] })
  })
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
}

const gap = (tab: Page, name: string) =>
  tab.getByRole("region", { name: "Used without a price" }).getByRole("row").filter({ hasText: name })

consoleTests({ env: { TOLLGATE_ADMIN_TOKEN: adminToken }, config: configWith({}) }, (inConsole) => {
  inConsole("what calls used without a price is listed with its name until it has one", async (visit) => {
    const before = await asOperator(visit, "/operator/prices")
    await before.getByLabel("Filter prices").waitFor()
    expect(await before.getByText("Used without a price").count()).toBe(0)
    await chat(visit)
    await chat(visit)
    const tab = await asOperator(visit, "/operator/prices")
    await gap(tab, "tiers.turbo").getByText("2", { exact: true }).waitFor()
    await gap(tab, "usage.dreams_of").waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.setViewportSize(phone)
    expect(await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false)
    expect(await axe(tab)).toEqual([])

    // The call itself tells it too.
    const id = (await gap(tab, "tiers.turbo").getByText(/^req_/).textContent()) ?? ""
    const call = await visit.signedIn(`/calls/${id}`)
    await call.getByText("tiers.turbo").waitFor()

    writeFileSync(join(visit.data, "../tollgate.jsonc"), JSON.stringify(configWith({ tiers: { turbo: "2" } })))
    const answer = await fetch(`${visit.address}/admin/v1/config/reload`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminToken}` }
    })
    expect(answer.status).toBe(200)
    await tab.reload()
    await gap(tab, "usage.dreams_of").waitFor()
    expect(await gap(tab, "tiers.turbo").count()).toBe(0)
  })
})
