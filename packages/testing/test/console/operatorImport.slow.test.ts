import { expect } from "@effect/vitest"
import { axe, consoleTests, type ConsoleVisit, phone } from "@tollgate/testing/console/consolePage"
import { adminToken, asOperator } from "@tollgate/testing/console/operator"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll } from "vitest"

const pets = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  paths: {
    "/pets": { get: { operationId: "list", summary: "All pets", responses: { "200": { description: "ok" } } } },
    "/a b": { get: { operationId: "odd" } }
  }
})

const heard: Array<string | undefined> = []
const server = createServer(({ headers, url }, response) => {
  heard.push(`${url} ${headers.authorization}`)
  response.setHeader("content-type", "application/json").end('{"pets":["Ada"]}')
})
const listening = new Promise<string>((resolve) =>
  server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
)
afterAll(() => (server.close(), server.closeAllConnections()))

const fileIn = ({ data }: ConsoleVisit, name: string) => join(data, "..", name)
const isTooWide = (tab: Page) => tab.evaluate(() => document.documentElement.scrollWidth > innerWidth)

const choose = (tab: Page, text: string) =>
  tab
    .getByLabel("OpenAPI document")
    .setInputFiles({ name: "pets.json", mimeType: "application/json", buffer: Buffer.from(text) })

const preview = (tab: Page) => tab.getByRole("button", { name: "Preview", exact: true }).click()
const add = (tab: Page) => tab.getByRole("button", { name: "Add to the configuration" })

/** What the configuration file gets, as the page shows it. */
const writtenText = async (tab: Page): Promise<unknown> =>
  JSON.parse((await tab.locator("figure").filter({ hasText: "Configuration file" }).locator("pre").textContent()) ?? "")

const env = { TOLLGATE_ADMIN_TOKEN: adminToken, UPSTREAM_PETS: "the-secret-of-pets" }

consoleTests({ env: { ...env, TOLLGATE_CONFIG_WRITE: "on" }, config: { sandbox: true } }, (inConsole) => {
  inConsole("an API goes from its document to a first call", async (visit) => {
    const tab = await asOperator(visit, "/operator/operations")
    // What is missing is told, and gets the focus.
    await preview(tab)
    await tab.getByText("This is required.").first().waitFor()
    await tab.locator("input[type=file]:focus").waitFor()
    expect(await axe(tab)).toEqual([])

    await choose(tab, "<html>")
    await tab.getByLabel("Name of the upstream").fill("pets")
    await preview(tab)
    await tab.getByRole("alert").filter({ hasText: "The document is" }).waitFor()

    await choose(tab, pets)
    await tab.getByLabel("Address", { exact: true }).fill(await listening)
    await tab.getByLabel("Price of a call in USD").fill("0.002")
    await tab.getByLabel("Credential").selectOption("A bearer token")
    await preview(tab)
    await tab.getByRole("alert").filter({ hasText: "this address is private" }).waitFor()
    expect(await add(tab).isDisabled()).toBe(true)
    expect(await axe(tab)).toEqual([])

    await tab.getByText("More options").click()
    await tab.getByLabel("Allow an address of this machine").check()
    await tab.getByText("The form was changed after this preview").waitFor()
    await preview(tab)
    await tab.getByText("Pets, OpenAPI 3.1.0: 1 of 2 operations imported").waitFor()
    await tab.getByRole("alert").waitFor({ state: "detached" })
    await tab.getByText("UPSTREAM_PETS", { exact: true }).waitFor()
    await tab.getByText("the gateway cannot have this path").waitFor()
    const row = tab.getByRole("group", { name: "Operations" }).getByRole("row").filter({ hasText: "pets.list" })
    expect(await row.textContent()).toContain("GET /apis/v1/pets/pets$0.002")
    expect(await axe(tab)).toEqual([])
    expect(readFileSync(fileIn(visit, "tollgate.jsonc"), "utf8")).toBe('{"sandbox":true}')

    // The page itself shows what is written, before the button that writes it.
    expect(await writtenText(tab)).toMatchObject({ operations: [{ file: "pets.operations.json" }] })
    await tab.getByLabel("Note").fill("Ann: the zoo")
    await add(tab).click()
    await tab.getByText("1 operation in pets.operations.json. Callers can use them now.").waitFor()
    const record = tab.getByRole("group", { name: "Changes" }).getByRole("row").filter({ hasText: "Ann: the zoo" })
    await record.getByText("API added").waitFor()
    const tryIt = tab.getByRole("link", { name: "Try it in the playground" })
    expect(await tryIt.getAttribute("href")).toBe("/playground/pets.list")
    // The form is empty again.
    expect(await tab.getByLabel("Name of the upstream").inputValue()).toBe("")
    expect(await axe(tab)).toEqual([])

    const answer = await fetch(`${visit.address}/apis/v1/pets/pets`, {
      headers: { authorization: `Bearer ${visit.key}` }
    })
    expect([answer.status, await answer.json()]).toEqual([200, { pets: ["Ada"] }])
    expect(answer.headers.get("x-tollgate-cost-micros-usd")).toBe("2000")
    expect(heard).toEqual(["/pets Bearer the-secret-of-pets"])
  })

  inConsole("files that were changed meanwhile are not overwritten, and the console says so", async (visit) => {
    const tab = await asOperator(visit, "/operator/operations", { viewport: phone })
    await tab.getByLabel("The document comes from").selectOption("Pasted text")
    await tab.getByLabel("OpenAPI document").fill(pets)
    await tab.getByLabel("Name of the upstream").fill("cats")
    await tab.getByLabel("Address", { exact: true }).fill("https://cats.example.com")
    await preview(tab)
    await tab.getByText("No price", { exact: true }).waitFor()
    expect(await isTooWide(tab)).toBe(false)
    const file = fileIn(visit, "tollgate.jsonc")
    const byHand = `${readFileSync(file, "utf8")} // by hand`
    writeFileSync(file, byHand)
    await add(tab).click()
    const refused = tab.getByRole("alert").filter({ hasText: "The file was changed in the meantime." })
    await refused.waitFor()
    expect(await add(tab).isDisabled()).toBe(true)
    expect(await isTooWide(tab)).toBe(false)
    expect(await axe(tab)).toEqual([])
    expect(readFileSync(file, "utf8")).toBe(byHand)
    // A preview of the files as they are now can be added.
    await refused.getByRole("button", { name: "Preview again" }).click()
    await refused.waitFor({ state: "detached" })
    await add(tab).click()
    await tab.getByText("1 operation in cats.operations.json. Callers can use them now.").waitFor()
    expect(readFileSync(file, "utf8")).toContain("// by hand")
  })
})

consoleTests({ env, config: { sandbox: true } }, (inConsole) => {
  inConsole("a gateway that may not write gives the file and the text", async (visit) => {
    const tab = await asOperator(visit, "/operator/operations", { viewport: phone })
    await choose(tab, pets)
    await tab.getByLabel("Name of the upstream").fill("pets")
    await tab.getByLabel("Address", { exact: true }).fill("https://pets.example.com")
    await preview(tab)
    await tab.getByText("start the gateway with TOLLGATE_CONFIG_WRITE=on").waitFor()
    expect(await add(tab).count()).toBe(0)
    expect(await writtenText(tab)).toEqual({
      upstreams: { pets: { baseUrl: "https://pets.example.com", protocol: "json" } },
      operations: [{ file: "pets.operations.json" }]
    })
    expect(await isTooWide(tab)).toBe(false)
    expect(await axe(tab)).toEqual([])
    const saving = tab.waitForEvent("download")
    await tab.getByRole("button", { name: "Save pets.operations.json" }).click()
    const saved = await (await saving).path()
    expect(JSON.parse(readFileSync(saved, "utf8"))).toMatchObject({ operations: [{ id: "pets.list" }] })
  })
})
