import { expect } from "@effect/vitest"
import { chargedFor, offerOf, playground } from "@tollgate/testing/console/playground"
import { axe, consoleTests, phone } from "@tollgate/testing/console/consolePage"

const chat = "chat.completions"

const hostile = `# Rivers

They **bend** <img src=x onerror=alert(1)> [here](javascript:alert(2)), see [this](https://example.com/rivers).

| river | km |
| --- | --- |
| Nile | 6,650 |

\`\`\`ts
const bends = true
\`\`\`
`

const completion = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: hostile }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
}

consoleTests({}, (inConsole) => {
  inConsole("an answer is shown as Markdown, and nothing in it runs or loads", async (visit) => {
    const tab = await visit.signedIn(`/playground/${chat}`)
    const { ended, run } = playground(tab)
    await tab.route("**/v1/chat/completions", (route) =>
      route.request().headers()["x-tollgate-cost-mode"] === undefined
        ? route.fulfill({ json: completion })
        : route.fallback()
    )
    await tab.getByRole("checkbox", { name: "Stream" }).uncheck()
    await run()
    expect(await ended()).toBe("done")
    const answer = tab.locator("[data-role=model]")
    expect(await answer.locator("strong").textContent()).toBe("bend")
    expect(await answer.locator("pre").textContent()).toBe("const bends = true")
    expect(await answer.getByRole("cell", { name: "Nile" }).count()).toBe(1)
    expect(await answer.locator("img, script, a[href^=javascript]").count()).toBe(0)
    expect(await answer.getByText("<img src=x onerror=alert(1)>").count()).toBe(1)
    const link = answer.getByRole("link", { name: "this" })
    expect([await link.getAttribute("href"), await link.getAttribute("rel")]).toEqual([
      "https://example.com/rivers",
      "noreferrer noopener nofollow"
    ])
    expect(await axe(tab)).toEqual([])
  })

  inConsole(
    "from the page's load to Send it takes ten keys at most, of which the button names the last",
    async (visit) => {
      const tab = await visit.signedIn(`/playground/${chat}`)
      await tab.reload()
      await tab.getByLabel("Message").waitFor()
      const keys = ["Tab", "Enter", "Tab", "Enter", "H", "i", "!", "Control+Enter"]
      const sent = tab.waitForRequest((request) => (request.postData() ?? "").includes('Hi!"'))
      for (const key of keys) await tab.keyboard.press(key)
      await sent
      expect(await playground(tab).ended()).toBe("done")
      expect(await tab.getByRole("button", { name: "Send", exact: true }).textContent()).toContain("Ctrl+Enter")
    }
  )

  inConsole("Ctrl+Enter sends, and two models answer side by side, each with its cost", async (visit) => {
    const model = (await offerOf(visit)).operations.find(({ id }) => id === chat)!.models[0]!
    const before = await chargedFor(visit, chat)
    const tab = await visit.signedIn(`/playground/${chat}`)
    const { ended } = playground(tab)
    for (const [width, height] of [
      [1440, 900],
      [1024, 768]
    ] as const) {
      await tab.setViewportSize({ width, height })
      for (const control of [tab.getByLabel("Cap in USD"), tab.getByRole("button", { name: "Send" })]) {
        const { height: own, y } = (await control.boundingBox())!
        expect(y + own).toBeLessThanOrEqual(height)
      }
    }
    await tab.getByLabel("Compare with").fill(model)
    await tab
      .getByText(/^at most /)
      .nth(1)
      .waitFor()
    await tab.getByLabel("Max tokens").press("Control+Enter")
    expect(await ended()).toBe("done")
    const sides = tab.getByRole("region", { name: "Side by side" }).getByRole("article")
    await sides.getByText("settled").nth(1).waitFor()
    expect(await sides.count()).toBe(2)
    expect(await sides.nth(1).getByRole("heading").textContent()).toBe(model)
    const { calls } = await chargedFor(visit, chat)
    expect(calls - before.calls).toBe(2)
    expect(await axe(tab)).toEqual([])
    await tab.setViewportSize(phone)
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width)
  })

  inConsole("a link fills in the call for somebody else, without a key, and sends nothing", async (visit) => {
    const tab = await visit.signedIn("/playground/rerank")
    await tab.evaluate(() => {
      navigator.clipboard.writeText = (text) => {
        document.title = text
        return Promise.resolve()
      }
    })
    const { asJson } = playground(tab)
    await asJson(JSON.stringify({ query: "shared question", documents: ["a", "b"] }))
    await tab.getByLabel("Cap in USD").fill("0.01")
    await tab.getByRole("button", { name: "Copy link" }).click()
    await expect.poll(() => tab.title()).toContain("/playground/rerank#call=")
    const address = await tab.title()
    const carried = Buffer.from(address.split("#call=")[1]!, "base64url").toString()
    expect([carried.includes("shared question"), carried.includes(visit.key)]).toEqual([true, false])

    const before = await chargedFor(visit, "rerank")
    const other = await visit.signedIn(new URL(address).pathname + new URL(address).hash)
    await other.getByText("A link filled this in").waitFor()
    expect(await other.getByLabel("Arguments as JSON").inputValue()).toContain("shared question")
    expect(await other.getByLabel("Cap in USD").inputValue()).toBe("0.01")
    await expect.poll(() => new URL(other.url()).hash).toBe("")
    expect(await chargedFor(visit, "rerank")).toEqual(before)
  })
})
