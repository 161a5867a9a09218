import { expect } from "@effect/vitest"
import { axe, type ConsoleVisit, consoleTests, phone } from "@tollgate/testing/console/consolePage"
import { chargedFor, offerOf, playground, raiseLimits, storyOf } from "@tollgate/testing/console/playground"

const admin = "an-admin-token-of-this-test-alone"
const usd = (micros: bigint): string => {
  const digits = micros.toString().padStart(7, "0")
  return `$${digits.slice(0, -6)}.${digits.slice(-6).replace(/0+$/, "").padEnd(2, "0")}`
}

consoleTests({ env: { TOLLGATE_ADMIN_TOKEN: admin } }, (inConsole) => {
  /** Runs operations from their examples, and returns the errors of those that fail. */
  const runAll = async (visit: ConsoleVisit, isFree: boolean) => {
    await raiseLimits(visit, admin)
    const operations = (await offerOf(visit)).operations.filter(({ is_free }) => is_free === isFree)
    const tab = await visit.signedIn("/playground")
    const { choose, ended, figure, requestId, result, run } = playground(tab)
    const refused: Array<readonly [string, string | null]> = []
    let charged = 0
    for (const { id, starts_task } of operations) {
      await choose(id)
      await tab.getByRole("region", { name: id, exact: true }).waitFor()
      await run()
      const state = await ended()
      if (state !== "done") refused.push([id, await result.getByRole("alert").locator("h3").textContent()])
      const cost = await figure("Charge").textContent()
      if (isFree || state !== "done") {
        expect([id, cost]).toEqual([id, "$0.00 no charge"])
      } else if (starts_task) {
        expect(cost).toContain("pending")
      } else {
        const story = await storyOf(visit, await requestId())
        expect([id, cost]).toEqual([id, `${usd(BigInt(story.charged_micros_usd))} settled`])
        charged += 1
      }
    }
    return { refused, charged }
  }

  inConsole("every operation with a price runs from its example, and its charge is the ledger's", async (visit) => {
    const { charged, refused } = await runAll(visit, false)
    expect(charged).toBeGreaterThan(10)
    // It acts for a linked account, and there is none.
    expect(refused).toEqual([["social_a.follow", "Forbidden"]])
  })

  inConsole("every free operation runs from its example, and costs nothing", async (visit) => {
    const { refused } = await runAll(visit, true)
    // The examples name a link, an answer, a conversation, a response and a contract that are not there, and there are no sales data.
    expect(refused).toEqual([
      ["social_a.oauth_callback", "InvalidRequest"],
      ["reseller.cached_answer", "NotFound"],
      ["responses.delete", "NotFound"],
      ["responses.get", "NotFound"],
      ["responses.input_items", "NotFound"],
      ["conversations.get", "NotFound"],
      ["conversations.update", "NotFound"],
      ["conversations.delete", "NotFound"],
      ["conversations.items", "NotFound"],
      ["conversations.add_items", "NotFound"],
      ["conversations.get_item", "NotFound"],
      ["conversations.delete_item", "NotFound"],
      ["contracts.source", "Conflict"],
      ["sales_api_data", "Unavailable"]
    ])
  })

  inConsole(
    "the price is beside the button, and a cap below it refuses the call before anything is spent",
    async (visit) => {
      const before = await chargedFor(visit, "rerank")
      const tab = await visit.signedIn("/playground/rerank")
      const { ended, figure, result, run, steps } = playground(tab)
      await tab.getByText(/^at most \$0\.0000\d+$/).waitFor()
      await tab.getByLabel("Cap in USD").fill("0.000000001")
      await run()
      expect(await ended()).toBe("failed")
      const alert = result.getByRole("alert")
      expect(await alert.textContent()).toMatch(/OverBudget.*status402.*codeover_cap.*outcomenot executed.*chargenone/s)
      expect(await figure("Charge").textContent()).toBe("$0.00 no charge")
      expect(await steps.allTextContents()).toEqual([
        expect.stringMatching(/^Quote.*at most/),
        expect.stringContaining("cap $0.000000001"),
        expect.stringContaining("Answered 402"),
        expect.stringContaining("Nothing was charged")
      ])
      expect(await chargedFor(visit, "rerank")).toEqual(before)
      // It was refused before it became a call: there is no story to link to.
      expect(await figure("Request id").getByRole("link").count()).toBe(0)
      for (const [text, why] of [
        ["a lot", "Write digits, such as 12.50"],
        ["-1", "The amount cannot be below zero."],
        ["1e3", "Write all digits, without an exponent: 1000"],
        ["5,0", "Use a point for decimals and no commas: 1234.5"],
        ["99999999999", "At most 1000000000 USD."],
        ["0.0000000001", "At most nine decimals: the smallest amount is 0.000000001"]
      ] as const) {
        await tab.getByLabel("Cap in USD").fill(text)
        await tab.getByText(why).waitFor()
        expect(await tab.getByRole("button", { name: "Run" }).isDisabled()).toBe(true)
      }
    }
  )

  inConsole("an answer is seen to grow, token by token", async (visit) => {
    const tab = await visit.signedIn("/playground/chat.completions")
    const { ended, figure, run } = playground(tab)
    await tab.getByLabel("Scenario").selectOption({ label: "A slow stream" })
    await tab.getByLabel("Max tokens").fill("12")
    const lengths = await tab.evaluateHandle(() => {
      const seen: Array<number> = []
      const look = () => {
        const answer = document.querySelector("[data-role=model]")
        if (answer !== null) seen.push(answer.textContent.length)
      }
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
      return seen
    })
    await run()
    expect(await ended()).toBe("done")
    const seen = await lengths.jsonValue()
    expect(new Set(seen).size).toBeGreaterThan(3)
    expect(await figure("First token").textContent()).toMatch(/\d m?s$/)
    expect(await tab.locator("[data-role=model]").textContent()).toMatch(/Cut off at max tokens\.$/)
    // There is nothing to send yet, and the code is of the call that was made.
    expect(await tab.getByRole("button", { name: "Send" }).isDisabled()).toBe(true)
    const code = tab.getByRole("region", { name: "Code" })
    await code.getByText('"role": "user"').first().waitFor()
    expect(await code.textContent()).not.toMatch(/"role": "assistant"|"content": ?""/)
    // The answer is a part of the conversation, which goes on.
    await tab.getByLabel("Scenario").selectOption({ label: "Normal" })
    await tab.getByLabel("Message", { exact: true }).fill("And why do roads?")
    await code.getByText('"role": "assistant"').waitFor()
    await tab.getByLabel("Message", { exact: true }).press("Enter")
    await expect.poll(() => tab.locator("[data-role=model]").count()).toBe(2)
    expect(await ended()).toBe("done")
  })

  inConsole("a stream that is stopped keeps what came, and only that is charged", async (visit) => {
    const tab = await visit.signedIn("/playground/chat.completions")
    const { ended, figure, requestId, run, steps, stop } = playground(tab)
    await tab.getByLabel("Scenario").selectOption({ label: "A stream falls silent" })
    await run()
    const answer = tab.locator("[data-role=model]")
    await answer.getByText(/^Model: .{3}/).waitFor()
    const came = await answer.textContent()
    await stop()
    expect(await ended()).toBe("stopped")
    await tab.getByText("You keep and pay for what arrived until then.").waitFor()
    // The list of what the client did says the same.
    expect(await steps.last().textContent()).toMatch(/^Stopped\d/)
    expect(await answer.textContent()).toContain(came)
    await figure("Charge").getByText("estimated").waitFor()
    const story = await storyOf(visit, await requestId())
    expect(await figure("Charge").textContent()).toContain(usd(BigInt(story.charged_micros_usd)))
  })

  inConsole("a stream that breaks half-way ends with its typed error, and what came stays", async (visit) => {
    const tab = await visit.signedIn("/playground/chat.completions")
    const { ended, result, run } = playground(tab)
    await tab.getByLabel("Scenario").selectOption({ label: "A stream breaks half-way" })
    await run()
    expect(await ended()).toBe("failed")
    expect(await result.getByRole("alert").textContent()).toMatch(/StreamFailed.*outcomeexecuted/s)
    expect(await tab.locator("[data-role=model]").textContent()).toMatch(/^Model: .+The answer was cut here\.$/s)
  })

  inConsole("the client is seen to wait as long as it is told, and to send again under the same key", async (visit) => {
    const tab = await visit.signedIn("/playground/rerank")
    const { run, steps, stop } = playground(tab)
    await tab.getByLabel("Scenario").selectOption({ label: "The upstream is busy" })
    await run()
    await steps.getByText("asks to wait 2.0 s").first().waitFor()
    await steps.getByText("Waiting before a retry").waitFor()
    await steps.getByText(/^after (?:[2-9]|\d\d)\.\d s, the same idempotency key$/).waitFor()
    await stop()
  })

  inConsole("an upstream that cannot be reached is asked again, and nothing is charged", async (visit) => {
    const tab = await visit.signedIn("/playground/rerank")
    const { ended, figure, result, run } = playground(tab)
    await tab.getByLabel("Scenario").selectOption({ label: "The upstream cannot be reached" })
    await run()
    expect(await ended()).toBe("failed")
    await result.getByText("UpstreamFailed").waitFor()
    expect(await figure("Retried").textContent()).toBe("3 ×")
    expect(await figure("Charge").textContent()).toBe("$0.00 no charge")
  })

  inConsole("a call whose answers are lost is charged once, however often it is asked for", async (visit) => {
    const before = await chargedFor(visit, "financial.metrics_snapshot")
    const tab = await visit.signedIn("/playground/financial.metrics_snapshot")
    const { ended, figure, result, run, steps } = playground(tab)
    await tab.getByText(/^at most/).waitFor()
    // The gateway answers, and the page never hears of it.
    await tab.route("**/financial/**", async (route) => {
      await route.fetch()
      await route.abort()
    })
    await run()
    expect(await ended()).toBe("failed")
    await result.getByText("OutcomeUnknown", { exact: true }).waitFor()
    await tab.unrouteAll()
    await result.getByRole("button", { name: "Ask for the outcome" }).click()
    await steps.getByText("the stored answer of the first call").waitFor()
    expect(await ended()).toBe("done")
    expect(await figure("Charge").textContent()).toBe("$0.001 charged once, before")
    const after = await chargedFor(visit, "financial.metrics_snapshot")
    expect(after).toEqual({ calls: before.calls + 1, micros: before.micros + 1_000n })
  })

  inConsole("a call that is stopped runs to its end, and its answer is not paid twice", async (visit) => {
    const before = await chargedFor(visit, "social_a.tweet_quotes")
    const tab = await visit.signedIn("/playground/social_a.tweet_quotes")
    const { ended, result, run, steps, stop } = playground(tab)
    await tab.getByLabel("Scenario").selectOption({ label: "A slow first byte" })
    await run()
    await steps.getByText(/^Sent GET/).waitFor()
    await stop()
    expect(await ended()).toBe("stopped")
    await result.getByRole("button", { name: "Ask for the outcome" }).click()
    await steps.getByText("the stored answer of the first call").waitFor()
    expect(await ended()).toBe("done")
    expect((await chargedFor(visit, "social_a.tweet_quotes")).calls).toBe(before.calls + 1)
  })

  inConsole("an error of each family is shown as the client sees it", async (visit) => {
    const tab = await visit.signedIn("/playground/usage")
    const { choose, ended, result, run, asJson } = playground(tab)
    const failedWith = async (): Promise<string> => {
      expect(await ended()).toBe("failed")
      return (await result.getByRole("alert").textContent()) ?? ""
    }
    const bodies: Array<string> = []
    await asJson('{ "start_time": 2000000000, "end_time": 1 }')
    await run()
    expect(await failedWith()).toMatch(/^InvalidRequest.*status400/s)
    for (const id of ["rerank", "messages", "models.generate_content", "video.create"]) {
      await choose(id)
      await tab.getByLabel("Scenario").selectOption({ label: "The upstream refuses the request" })
      await run()
      expect(await failedWith()).toMatch(/^InvalidRequest.*status400.*outcomenot executed.*What to do/s)
      bodies.push((await result.getByRole("alert").locator("pre").textContent()) ?? "")
    }
    // Each in the shape of its own protocol.
    expect(bodies).toEqual([
      expect.stringContaining('"param"'),
      expect.stringContaining('"type":"error"'),
      expect.stringContaining('"INVALID_ARGUMENT"'),
      expect.stringContaining('"code"')
    ])
    await choose("social_a.follow")
    await run()
    expect(await failedWith()).toMatch(/^Forbidden.*status403.*codemissing_scope.*"error":\{"code":"missing_scope"/s)
    await result.getByRole("link", { name: "Link one" }).click()
    await tab.waitForURL("**/links")
  })

  inConsole("what is no JSON is kept as it was typed, through other views and operations", async (visit) => {
    const tab = await visit.signedIn("/playground/rerank")
    const { asJson, choose } = playground(tab)
    await tab.getByLabel("documents").fill('["The Amazon carries the most water."]')
    await tab.getByRole("radio", { name: "As JSON" }).check()
    expect(await tab.getByLabel("Arguments as JSON").inputValue()).toContain("The Amazon carries the most water.")
    await asJson('{ "query": "half of')
    await tab.getByText(/^This is not valid JSON:/).waitFor()
    expect(await tab.getByRole("button", { name: "Run" }).isDisabled()).toBe(true)
    await tab.getByRole("radio", { name: "Form", exact: true }).check()
    await tab.getByText("The JSON text is not valid yet").first().waitFor()
    await choose("messages")
    await tab.getByLabel("Message", { exact: true }).fill("kept?")
    await tab.goBack()
    await tab.getByRole("region", { name: "rerank", exact: true }).waitFor()
    await tab.getByRole("radio", { name: "As JSON" }).check()
    expect(await tab.getByLabel("Arguments as JSON").inputValue()).toBe('{ "query": "half of')
    await tab.goForward()
    expect(await tab.getByLabel("Message", { exact: true }).inputValue()).toBe("kept?")
    await tab.goBack()
    await tab.getByRole("region", { name: "rerank", exact: true }).waitFor()
    await tab.getByRole("radio", { name: "Form", exact: true }).check()
    await tab.getByRole("button", { name: "Discard the text" }).click()
    expect(await tab.getByLabel("documents").inputValue()).toContain("The Amazon carries the most water.")
    // A number that is none stays too, and says so.
    await tab.getByLabel("top_n").fill("two")
    await tab.getByText("This is a whole number, such as 12").waitFor()
    expect(await tab.getByLabel("top_n").inputValue()).toBe("two")
  })

  inConsole("a very large input is refused in words, and the page stays usable", async (visit) => {
    const tab = await visit.signedIn("/playground/social_a.follow")
    const { asJson, ended, result, run } = playground(tab)
    await asJson(JSON.stringify({ note: "r".repeat(1_200_000) }))
    await run()
    expect(await ended()).toBe("failed")
    expect(await result.getByRole("alert").textContent()).toMatch(/status413/)
    await tab.getByRole("radio", { name: "Form", exact: true }).check()
    await tab.getByText("Too large for the form.").waitFor()
    await tab.getByText("The arguments are too large to be shown as code.").waitFor()
  })

  inConsole("an answer never becomes an address that runs, and an image is shown", async (visit) => {
    const tab = await visit.signedIn("/playground/images.generate")
    const { choose, ended, result, run } = playground(tab)
    await run()
    expect(await ended()).toBe("done")
    await result.getByRole("img", { name: "In the answer" }).waitFor()
    const hostile = { id: "x", image_url: "javascript:alert(1)", url: "javascript:alert(2)//.png" }
    await tab.route("**/v1/models", (route) => route.fulfill({ json: { object: "list", data: [hostile] } }))
    await choose("models.list")
    await run()
    await ended()
    await result.getByText("javascript:alert(1)").waitFor()
    expect(await result.locator("a[href^=javascript], img").count()).toBe(0)
  })

  inConsole("the code follows the form, in each language", async (visit) => {
    const tab = await visit.signedIn("/playground/rerank")
    const code = tab.getByRole("region", { name: "Code" })
    const listed = tab.getByRole("navigation", { name: "Operations" }).getByRole("link")
    await code.getByText("curl http").waitFor()
    await tab.getByLabel("query").fill("Which mountain is highest?")
    await code.getByText("Which mountain is highest?").waitFor()
    // With the cap and the scenario of the call.
    await tab.getByLabel("Cap in USD").fill("0.5")
    await tab.getByLabel("Scenario").selectOption({ label: "The upstream is busy" })
    await code.getByText(/Max-Price-Usd: 0\.5/i).waitFor()
    await code.getByText(/Scenario: status; code=429/i).waitFor()
    await code.getByRole("radio", { name: "Client" }).check()
    await code.getByText("await tollgate.rerank({").waitFor()
    // The keyboard filters, chooses, and is in the form.
    await tab.getByLabel("Filter operations").fill("chat.com")
    await expect.poll(() => listed.count()).toBe(1)
    await tab.getByLabel("Filter operations").press("Enter")
    await tab.waitForURL("**/chat.completions")
    await tab.locator("textarea[aria-label=Message]:focus").waitFor()
    expect(await tab.getByLabel("Filter operations").inputValue()).toBe("chat.com")
    await code.getByText("chatCompletionsStream").first().waitFor()
    await tab.getByLabel("Stream").uncheck()
    await code.getByText("await tollgate.chatCompletions({").waitFor()
    await tab.getByLabel("Filter operations").fill("rer")
    await listed.first().getByText("rerank").waitFor()
    await tab.getByLabel("Filter operations").press("ArrowDown")
    await listed.first().and(tab.locator(":focus")).waitFor()
    await tab.keyboard.press("Enter")
    await tab.waitForURL("**/rerank")
    await tab.getByLabel("query").waitFor()
    await tab.locator("form :focus").waitFor()
    await tab.getByLabel("Filter operations").fill("images")
    await expect
      .poll(() => listed.allTextContents())
      .toEqual(["images.generate$0.02 / image", "images.edit$0.02 / image"])
  })

  inConsole("axe finds nothing in either theme, and a phone shows no page that is too wide", async (visit) => {
    const tab = await visit.signedIn("/playground/chat.completions")
    const { choose, ended, run } = playground(tab)
    // What is shown is the most that it costs: a cap of exactly that lets it run.
    const most = (await tab.getByText(/^at most \$/).textContent())?.slice("at most $".length) ?? ""
    await tab.getByLabel("Cap in USD").fill(most)
    await run()
    expect(await ended()).toBe("done")
    expect(await axe(tab)).toEqual([])
    await choose("rerank")
    await tab.getByLabel("Scenario").selectOption({ label: "The upstream refuses the request" })
    await run()
    await ended()
    expect(await axe(tab)).toEqual([])
    const small = await visit.signedIn("/playground", { viewport: phone })
    const width = () => small.evaluate("document.documentElement.scrollWidth")
    await small.getByText("Choose an operation").waitFor()
    expect(await width()).toBeLessThanOrEqual(phone.width)
    await playground(small).choose("rerank")
    await playground(small).run()
    await playground(small).ended()
    expect(await width()).toBeLessThanOrEqual(phone.width)
    await small.getByRole("link", { name: "All operations" }).click()
    await small.getByText("Choose an operation").waitFor()
  })
})
