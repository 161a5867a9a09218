import { expect } from "@effect/vitest"
import type { CallStory, LoggedCalls } from "@tollgate/contract/account/LoggedCall"
import { axe, consoleTests, phone, signIn } from "@tollgate/testing/console/consolePage"
import { callsWith, newKey, type TestKey, withAdmin } from "@tollgate/testing/console/newKey"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Page } from "playwright-core"

const table = (tab: Page) => tab.getByRole("group", { name: "Calls" })
const rows = (tab: Page) => table(tab).locator("tbody tr")
const isTooWide = (tab: Page) => tab.locator("html").evaluate((html) => html.scrollWidth > innerWidth)

const log = /\/account\/v1\/calls(\?|$)/
const failing = { status: 503, json: { error: { code: "billing_unavailable", message: "Not now, please." } } }

/** Writes ended calls into the store, as if the key had made one each second. */
const insertCalls = (data: string, { account, id }: TestKey, count: number, name = "old", agoMillis = 60_000): void => {
  const store = new DatabaseSync(join(data, "tollgate.db"), { timeout: 60_000 })
  store
    .prepare(
      `INSERT INTO calls (id, account, key, operation, model, upstream, state, status, cost_state, owner, reserved,
         value, charged, charged_nano, input_tokens, output_tokens, created_at, ended_at)
       WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
       SELECT printf('req_' || ? || '%06d', i), ?, ?, 'chat.completions', 'sandbox', 'sandbox', 'settled', 200, 'settled', 'test',
         900, 145 + i % 97, 145 + i % 97, (145 + i % 97) * 1000, 120 + i % 500, i % 330,
         ? - i * 1000 - i % 700, ? - i * 1000 FROM n`
    )
    .run(count, name, account, id, Date.now() - agoMillis, Date.now() - agoMillis)
  store.close()
}

consoleTests(withAdmin, (inConsole) => {
  inConsole("calls appear as they begin and change as they end, without a reload", async (visit) => {
    const { key } = await newKey(visit)
    const { openCall, rerank } = callsWith(visit, key)
    const tab = await visit.signedIn("/calls", { key })
    await tab.getByText("No calls yet").waitFor()
    expect(await axe(tab)).toEqual([])
    await (await rerank()).text()
    await rows(tab).filter({ hasText: "rerank" }).getByText("200").waitFor()

    const { leave } = await openCall()
    const open = rows(tab).filter({ hasText: "chat.completions" })
    await open.getByText("Open").waitFor()
    expect(await rows(tab).count()).toBe(2)
    leave()
    await open.getByText("Open").waitFor({ state: "detached" })
    expect(await rows(tab).count()).toBe(2)
    await open.getByTitle(/counted from the text/).waitFor()

    await tab.getByRole("switch").click()
    await tab.getByRole("switch", { name: "Paused" }).waitFor()
    await (await rerank()).text()
    await tab.getByRole("switch").click()
    await expect.poll(() => rows(tab).count()).toBe(3)
  })

  inConsole("each call tells its story", async (visit) => {
    const { key } = await newKey(visit)
    const { chat, read, rerank, stream } = callsWith(visit, key)
    const replay = { "idempotency-key": "one", "x-tollgate-idempotency-mode": "replay" }
    for (const answer of [
      () => rerank(replay),
      () => rerank(replay),
      () => chat("status; code=500"),
      () => chat("reset"),
      () => stream()
    ])
      await (await answer()).text()
    const { calls } = await read<LoggedCalls>("/account/v1/calls")
    expect(calls.map(({ state }) => state)).toEqual(["settled", "unknown", "released", "replayed", "settled"])
    const tab = await visit.signedIn("/calls", { key })
    const told: ReadonlyArray<ReadonlyArray<string | RegExp>> = [
      ["Answered with 200", "Settled", /^Model sandbox: .* as the upstream reported\.$/],
      ["Sent to sandbox", /Nobody knows whether the call ran/, "Nothing was charged."],
      ["Answered with 500", "Not charged", /costs nothing/],
      [/stored answer of an earlier call/],
      ["Settled", "Key valid until", /^Cached/, /The answer is cached until .*, for retries with the same key\.$/]
    ]
    for (const [i, words] of told.entries()) {
      const { id = "" } = calls[i] ?? {}
      const story = await read<CallStory>(`/account/v1/calls/${id}`)
      await rows(tab).nth(i).getByRole("link").click()
      await tab.getByText(/^We keep no prompt/).waitFor()
      expect(new URL(tab.url()).pathname).toBe(`/calls/${id}`)
      for (const text of words) await tab.getByText(text, { exact: true }).first().waitFor()
      for (const [label, amount, nano = "0"] of [
        ["Charged", story.charged_micros_usd, story.charged_nano_usd],
        ["Reserved", story.reserved_micros_usd]
      ] as const) {
        const shown = tab.locator("dt").filter({ hasText: label }).first().locator("+ dd")
        // What is none is left out.
        if (Number(amount) === 0 && nano === "0") expect(await shown.count()).toBe(0)
        else if (Number(amount) === 0) expect(await shown.textContent()).toBe("< $0.000001")
        else expect(Number((await shown.textContent())?.slice(1)) * 1e6).toBeCloseTo(Number(amount), 3)
      }
      await tab.getByRole("link", { name: "laptop", exact: true }).waitFor()
      if (i === 0) expect(await axe(tab)).toEqual([])
      await tab.goBack()
      await rows(tab).first().waitFor()
    }
  })

  inConsole("a call that failed says why, first on its page and in the list", async (visit) => {
    const { key } = await newKey(visit)
    const { chat, read } = callsWith(visit, key)
    const answer = await chat("status; code=500")
    const { error } = (await answer.json()) as { readonly error: { readonly message: string } }
    await (await chat("reset")).text()
    const { calls } = await read<LoggedCalls>("/account/v1/calls")
    const [lost, refused] = calls
    expect(refused?.error?.message).toBe(error.message)
    expect(lost?.error?.code).toBe("upstream_failed")
    const tab = await visit.signedIn("/calls", { key })
    await rows(tab)
      .nth(0)
      .getByText(/^upstream_failed: /)
      .waitFor()
    await rows(tab).nth(1).getByText(error.message).waitFor()
    await rows(tab).nth(0).getByRole("link").click()
    const why = tab.getByRole("main").getByRole("status").first()
    await why.getByText(lost?.error?.message ?? "", { exact: true }).waitFor()
    await why.getByText("The upstream", { exact: true }).waitFor()
    await why.getByText(/^It may have run\./).waitFor()
    await why.getByText("Nothing was charged.").waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.goBack()
    await rows(tab).nth(1).getByRole("link").click()
    await tab
      .getByRole("alert")
      .getByText(/^Send it again later\./)
      .waitFor()
    await tab.getByRole("alert").getByText("500 · ServerFault").waitFor()
  })

  inConsole("the page of an open call follows it to its end", async (visit) => {
    const { key } = await newKey(visit)
    const { openCall, read } = callsWith(visit, key)
    const { leave } = await openCall()
    const { calls } = await read<LoggedCalls>("/account/v1/calls")
    const tab = await visit.signedIn(`/calls/${calls[0]?.id}`, { key })
    await tab.getByText("The call is under way. Its price is reserved.").waitFor()
    leave()
    await tab.getByText(/charged, an estimate\.$/).waitFor()
  })

  inConsole("an id that is unknown or strange leads back to the calls", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn(`/calls/${encodeURIComponent("<img src=x onerror=alert(1)>")}`, { key })
    await tab.getByText("There is no such call").waitFor()
    await tab.getByText(/^Free calls are not in the log/).waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.getByRole("main").getByRole("link", { name: "All calls" }).click()
    await tab.getByText("No calls yet").waitFor()
  })

  inConsole("filters are in the address, and survive a new sign-in", async (visit) => {
    const { key } = await newKey(visit)
    const { chat, rerank } = callsWith(visit, key)
    for (const answer of [rerank(), chat(), chat("status; code=500"), chat("no-usage")]) await (await answer).text()
    const tab = await visit.signedIn("/calls", { key })
    await expect.poll(() => rows(tab).count()).toBe(4)
    await tab.getByLabel("Operation", { exact: true }).selectOption("chat.completions")
    await expect.poll(() => rows(tab).count()).toBe(3)
    await tab.getByLabel("Status", { exact: true }).selectOption("5xx, failed")
    await expect.poll(() => rows(tab).count()).toBe(1)
    await expect.poll(() => new URL(tab.url()).search).toBe("?operation=chat.completions&status=5xx")

    await tab.reload()
    await expect.poll(() => rows(tab).allTextContents()).toEqual([expect.stringContaining("500")])
    await expect.poll(() => tab.getByLabel("Operation", { exact: true }).inputValue()).toBe("chat.completions")

    // New calls are filtered too.
    await (await chat()).text()
    await (await chat("status; code=502")).text()
    await expect.poll(() => rows(tab).count()).toBe(2)
    await tab.getByRole("button", { name: "Clear 2 filters" }).click()
    await expect.poll(() => rows(tab).count()).toBe(6)
    await tab.getByLabel("Charge", { exact: true }).selectOption("Estimated")
    await expect.poll(() => rows(tab).count()).toBe(1)
    await tab.getByLabel("State", { exact: true }).selectOption("Unknown")
    await tab.getByText("No call matches these filters").waitFor()
  })

  inConsole("a call is found by its id, a word of its error, or its day, and the address keeps that", async (visit) => {
    const made = await newKey(visit)
    const { chat, read, rerank } = callsWith(visit, made.key)
    insertCalls(visit.data, made, 3, "week", 7 * 86_400_000)
    for (const answer of [rerank(), chat(), chat("status; code=500")]) await (await answer).text()
    const { calls } = await read<LoggedCalls>("/account/v1/calls")
    const failed = calls.find(({ status }) => status === 500)
    const tab = await visit.signedIn("/calls", { key: made.key })
    await expect.poll(() => rows(tab).count()).toBe(6)
    const search = tab.getByRole("searchbox", { name: "Search" })
    await search.fill("RERANK")
    await expect.poll(() => rows(tab).count()).toBe(1)
    await expect.poll(() => new URL(tab.url()).search).toBe("?q=RERANK")
    await search.fill(failed?.error?.message.slice(2, 12) ?? "")
    await expect.poll(() => rows(tab).allTextContents()).toEqual([expect.stringContaining("500")])
    await search.fill(calls.at(-1)?.id ?? "")
    await expect.poll(() => rows(tab).count()).toBe(1)
    await tab.getByRole("button", { name: "Clear the filter" }).click()
    await expect.poll(() => rows(tab).count()).toBe(6)
    await expect.poll(() => search.inputValue()).toBe("")

    const day = new Date(Date.now() - 3 * 86_400_000).toLocaleDateString("sv-SE")
    await tab.getByLabel("To", { exact: true }).fill(day)
    await expect.poll(() => rows(tab).count()).toBe(3)
    await tab.reload()
    await expect.poll(() => rows(tab).count()).toBe(3)
    expect(new URL(tab.url()).search).toBe(`?to=${day}`)
    await tab.getByText("Long calls may be missing").waitFor()
    await tab.getByLabel("From", { exact: true }).fill(day)
    await tab.getByText("No call matches these filters").waitFor()
    expect(await axe(tab)).toEqual([])

    // What cannot match, or is no day of a call, is said.
    await tab.getByLabel("From", { exact: true }).fill(new Date().toLocaleDateString("sv-SE"))
    await tab.getByText("The first day is after the last").waitFor()
    await tab.getByLabel("From", { exact: true }).fill("0026-01-01")
    await tab.getByText("From: choose a day from 1970 to 9999").waitFor()
    await expect.poll(() => rows(tab).count()).toBe(3)
  })

  inConsole("calls stand in the order in which they began, and all columns fit at 1024", async (visit) => {
    const { key } = await newKey(visit)
    const { openCall, rerank } = callsWith(visit, key)
    const { leave } = await openCall()
    await (await rerank()).text()
    const tab = await visit.signedIn("/calls", { key, viewport: { width: 1024, height: 768 } })
    await expect.poll(() => rows(tab).count()).toBe(2)
    await expect.poll(() => rows(tab).first().textContent()).toContain("rerank")
    leave()
    await rows(tab).getByText("Open").waitFor({ state: "detached" })
    await expect.poll(() => rows(tab).first().textContent()).toContain("rerank")
    expect(await isTooWide(tab)).toBe(false)
    expect(await table(tab).evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(false)
  })

  inConsole("a gateway that is slow or fails keeps the last calls in view", async (visit) => {
    const { key } = await newKey(visit)
    const { rerank } = callsWith(visit, key)
    await (await rerank()).text()
    const tab = await visit.open("/calls")
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await tab.route(log, async (route) => {
      await held
      await route.continue()
    })
    await signIn(tab, key)
    await tab.getByRole("status", { name: "Loading" }).waitFor()
    answer()
    await rows(tab).first().waitFor()
    await tab.unroute(log)
    await tab.route(log, (route) => route.fulfill(failing))
    await tab.getByRole("alert").getByText("Not now, please.").waitFor()
    await tab.getByRole("switch", { name: "Not live, trying again" }).waitFor()
    expect(await rows(tab).count()).toBe(1)
    await tab.unroute(log)
    await tab.getByRole("button", { name: "Try again" }).click()
    await tab.getByRole("alert").waitFor({ state: "detached" })
    expect(await rows(tab).count()).toBe(1)
  })

  inConsole("the log says when it is not connected, and connects again by itself", async (visit) => {
    const { key } = await newKey(visit)
    const { rerank } = callsWith(visit, key)
    await (await rerank()).text()
    const tab = await visit.signedIn("/calls", { key })
    await rows(tab).first().waitFor()
    await tab.getByRole("switch", { name: "Live", exact: true }).waitFor()
    // Answers nobody can read, as while the gateway is stopped. An aborted request would be an error of the browser's console.
    await tab.evaluate(() => {
      const real = window.fetch
      Object.assign(window, { real })
      window.fetch = () => Promise.reject(new TypeError("Failed to fetch"))
    })
    await tab.getByRole("switch", { name: "Not live, trying again" }).waitFor()
    expect(await rows(tab).count()).toBe(1)
    await (await rerank()).text()
    await tab.evaluate(() => Object.assign(window, { fetch: Reflect.get(window, "real") }))
    await tab.getByRole("switch", { name: "Live", exact: true }).waitFor()
    await expect.poll(() => rows(tab).count()).toBe(2)
  })

  inConsole("every call that matches is in the exported file, once", async (visit) => {
    const made = await newKey(visit, { label: "=SUM(1,2)" })
    insertCalls(visit.data, made, 2_500, "exported")
    const { chat } = callsWith(visit, made.key)
    await (await chat("status; code=500")).text()
    const tab = await visit.signedIn("/calls?status=2xx", { key: made.key })
    await rows(tab).first().waitFor()
    const [download] = await Promise.all([
      tab.waitForEvent("download"),
      tab.getByRole("button", { name: "Export CSV" }).click()
    ])
    expect(download.suggestedFilename()).toMatch(/^calls-.*Z\.csv$/)
    const [names = "", ...lines] = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n")
    expect(names.split(",").at(0)).toBe("id")
    expect(new Set(lines.map((line) => line.split(",")[0])).size).toBe(2_500)
    expect(lines).toHaveLength(2_500)
    expect(lines[0]).toContain(`,"'=SUM(1,2)",`)
  })

  inConsole("who comes by a link sees the newest calls, who goes back finds the old place", async (visit) => {
    const made = await newKey(visit)
    insertCalls(visit.data, made, 300, "before")
    const { rerank } = callsWith(visit, made.key)
    const tab = await visit.signedIn("/calls", { key: made.key })
    await expect.poll(() => rows(tab).count()).toBe(100)
    for (let page = 0; page < 2; page++) {
      const first = (await rows(tab).first().getByRole("link").getAttribute("href")) ?? ""
      await tab.getByRole("button", { name: "Older calls" }).click()
      await table(tab).locator(`a[href="${first}"]`).waitFor({ state: "detached" })
      await rows(tab).first().waitFor()
    }
    const old = table(tab).locator(`a[href="/calls/req_before000250"]`)
    await old.click()
    await tab.getByRole("heading", { name: "Details" }).waitFor()
    await tab.goBack()
    await old.waitFor()
    expect(await tab.evaluate(() => scrollY)).toBeGreaterThan(500)
    expect(await tab.getByRole("button", { name: "Older calls" }).count()).toBe(0)
    expect(await axe(tab)).toEqual([])

    await tab.getByRole("link", { name: "Overview" }).click()
    await tab.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    await (await rerank()).text()
    await tab.getByRole("link", { name: "Calls", exact: true }).click()
    await expect.poll(() => rows(tab).first().textContent()).toContain("rerank")
  })

  inConsole("axe finds nothing, and a phone shows the calls without scrolling sideways", async (visit) => {
    const { key } = await newKey(visit)
    const { chat, rerank } = callsWith(visit, key)
    for (const answer of [rerank(), chat(), chat("status; code=500"), chat("reset")]) await (await answer).text()
    const tab = await visit.signedIn("/calls", { key })
    await expect.poll(() => rows(tab).count()).toBe(4)
    expect(await axe(tab)).toEqual([])
    await tab.setViewportSize(phone)
    expect(await isTooWide(tab)).toBe(false)
    expect(await axe(tab)).toEqual([])
    await rows(tab).first().getByRole("link").click()
    await tab.getByText(/^We keep no prompt/).waitFor()
    expect(await isTooWide(tab)).toBe(false)
    expect(await axe(tab)).toEqual([])
  })
})
