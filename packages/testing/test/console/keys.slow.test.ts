import { expect } from "@effect/vitest"
import { axe, type ConsoleVisit, consoleTests, phone } from "@tollgate/testing/console/consolePage"
import { newKey, withAdmin } from "@tollgate/testing/console/newKey"
import type { Page } from "playwright-core"

const dialog = (tab: Page) => tab.getByRole("dialog")
const row = (tab: Page, name: string) => tab.getByRole("row").filter({ hasText: name })
const isTooWide = (tab: Page) => tab.locator("html").evaluate((html) => html.scrollWidth > innerWidth)

const create = async (tab: Page, label: string, fill?: () => Promise<void>): Promise<string> => {
  await tab.getByRole("button", { name: "Create a key" }).click()
  await dialog(tab).getByLabel("Label").fill(label)
  await fill?.()
  await dialog(tab).getByRole("button", { name: "Create the key" }).dblclick()
  const text = tab.getByText(/^tg_[0-9a-z]{39}$/)
  const key = (await text.textContent()) ?? ""
  await tab.getByRole("button", { name: "I have stored it" }).click()
  await text.waitFor({ state: "hidden" })
  return key
}

const chat = async ({ address }: ConsoleVisit, key: string, model = "sandbox"): Promise<number> => {
  const answer = await fetch(`${address}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] })
  })
  await answer.text()
  return answer.status
}

consoleTests(withAdmin, (inConsole) => {
  inConsole("keys are made once, limited, rotated and revoked, and what each may do is in view", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/keys", { key })
    await row(tab, "laptop").getByText("signed in").waitFor()
    expect(await axe(tab)).toEqual([])
    const made = await create(tab, "<b>לילה</b>", async () => {
      await dialog(tab).getByLabel("Budget in USD").fill("10")
      await dialog(tab).getByText("More limits").click()
      await dialog(tab).getByLabel("Budget for a day").fill("1")
      await dialog(tab).getByLabel("Models").fill("sandbox, other")
      await dialog(tab).getByLabel("Ends").selectOption("30")
      expect(await axe(tab)).toEqual([])
    })
    expect(await chat(visit, made)).toBe(200)
    expect(await chat(visit, made, "third")).toBe(403)
    expect(await row(tab, "<b>לילה</b>").count()).toBe(1)
    await row(tab, "<b>לילה</b>").getByText("models sandbox, other").waitFor()
    await row(tab, "<b>לילה</b>").getByText("of $1.00").waitFor()
    await tab.getByRole("button", { name: "Change <b>לילה</b>" }).click()
    await dialog(tab).getByLabel("Label").fill("nightly")
    await dialog(tab).getByLabel("Models").fill("")
    await dialog(tab).getByRole("button", { name: "Save the key" }).click()
    await row(tab, "nightly").waitFor()
    expect(await row(tab, "nightly").getByText("models").count()).toBe(0)
    await row(tab, "nightly").getByText("of $10.00").waitFor()
    await tab.getByRole("button", { name: "Revoke nightly" }).click()
    await dialog(tab).getByRole("button", { name: "Revoke the key" }).click()
    await row(tab, "nightly").getByText("ended").waitFor()
    await expect.poll(() => chat(visit, made)).toBe(401)
    await tab.setViewportSize(phone)
    expect([await isTooWide(tab), await axe(tab)]).toEqual([false, []])
  })

  inConsole("bad input is told at its field, and nothing is made", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/keys", { key })
    await tab.getByRole("button", { name: "Create a key" }).click()
    await dialog(tab).getByLabel("Label").fill("x".repeat(10_240))
    await tab.setViewportSize({ width: 1440, height: 760 })
    const [atEnd, inDialog] = await Promise.all(
      [dialog(tab).getByRole("button", { name: "Create the key" }), dialog(tab)].map((each) => each.boundingBox())
    )
    expect(atEnd!.y + atEnd!.height).toBeLessThan(inDialog!.y + inDialog!.height)
    await dialog(tab).getByText("More limits").click()
    await dialog(tab).getByLabel("Addresses it may be used from").fill("here")
    await dialog(tab).getByText("More limits").click()
    await dialog(tab).getByRole("button", { name: "Create the key" }).click()
    await dialog(tab).getByText("Enter one line of 1 to 200 characters.").waitFor()
    await dialog(tab)
      .getByText(/^Enter an IP address or a network/)
      .waitFor()
    await dialog(tab).getByLabel("Label").fill("x")
    await dialog(tab).getByLabel("Addresses it may be used from").fill("10.1.2.3/8")
    await dialog(tab).getByRole("button", { name: "Create the key" }).click()
    await dialog(tab).getByText("10.1.2.3/8 is not an IP address or a network").waitFor()
    await tab.keyboard.press("Escape")
    expect(await tab.getByRole("row").count()).toBe(2)
  })

  inConsole("the last key is revoked by who is signed in with it, after a warning, in all tabs", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/keys", { key })
    await tab.getByRole("button", { name: "Change laptop" }).click()
    await dialog(tab).getByText("Another key of the account can limit it.").waitFor()
    expect(await dialog(tab).getByLabel("Budget in USD").count()).toBe(0)
    await tab.keyboard.press("Escape")
    const other = await tab.context().newPage()
    await other.goto(`${visit.address}/keys`)
    await other.getByRole("button", { name: "Create a key" }).click()
    await dialog(other).getByLabel("Label").fill("too late")
    await tab.getByRole("button", { name: "Revoke laptop" }).click()
    await dialog(tab).getByText("It is the last key that can change keys and sign in.").waitFor()
    await dialog(tab).getByText("you will be signed out").waitFor()
    await dialog(tab).getByRole("button", { name: "Revoke the last key" }).click()
    await tab.getByText(/signed out/).waitFor()
    await other.getByText(/signed out/).waitFor()
    await other.close()
  })
})
