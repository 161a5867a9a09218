import { expect } from "@effect/vitest"
import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { UsageReport } from "@tollgate/contract/resources/UsageReport"
import { axe, consoleTests, phone, signIn } from "@tollgate/testing/console/consolePage"
import { callsWith, newKey, withAdmin } from "@tollgate/testing/console/newKey"
import { readFile } from "node:fs/promises"
import type { Page } from "playwright-core"

const day = 86_400

const figure = (tab: Page, label: string) =>
  tab.locator("dl > div", { has: tab.getByText(label, { exact: true }) }).locator("strong")

const isTooWide = (tab: Page) => tab.locator("html").evaluate((html) => html.scrollWidth > innerWidth)

const usage = "**/account/v1/usage?**"
const failing = { status: 503, json: { error: { code: "billing_unavailable", message: "Not now, please." } } }

const usd = (micros: number) => `$${(micros / 1e6).toFixed(6).replace(/0{1,4}$/, "")}`

/** The call must be in the last bar: it waits for the next hour if this one ends soon. */
const enoughOfHour = (): Promise<void> => {
  const left = 3_600_000 - (Date.now() % 3_600_000)
  return new Promise((resolve) => setTimeout(resolve, left < 120_000 ? left : 0))
}

/** The file that a choice of the menu saves. */
const exported = async (tab: Page, choice: string) => {
  const [download] = await Promise.all([
    tab.waitForEvent("download"),
    tab.getByLabel("Export CSV").selectOption({ label: choice })
  ])
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") }
}

consoleTests(withAdmin, (inConsole) => {
  inConsole("an account without calls learns how to make the first", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/", { key })
    await tab.getByRole("heading", { name: "No calls yet" }).waitFor()
    expect(await tab.locator("pre").textContent()).toContain(`curl ${visit.address}/v1/rerank`)
    await expect.poll(() => figure(tab, "Calls").textContent()).toBe("0")
    await tab.getByText(/so no forecast/).waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.getByRole("link", { name: "Open the playground" }).click()
    await tab.getByRole("heading", { level: 1, name: "Playground" }).waitFor()
  })

  inConsole("usage is shown by tag, and leads to the calls and their tags", async (visit) => {
    const { key } = await newKey(visit)
    const { rerank } = callsWith(visit, key)
    for (const tags of ["team=search,job=nightly", "team=ads"]) await (await rerank({ "x-tollgate-tags": tags })).text()
    const tab = await visit.signedIn("/", { key })
    await tab.getByRole("heading", { name: "By tag" }).waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.getByLabel("Tag", { exact: true }).selectOption("job")
    await tab.getByRole("link", { name: "nightly" }).click()
    await tab.getByRole("group", { name: "Calls" }).getByRole("link", { name: "rerank" }).click()
    await tab.getByRole("heading", { name: "Tags" }).waitFor()
    await tab.getByRole("link", { name: "search", exact: true }).waitFor()
  })

  inConsole("the figures and the file are those of the usage report", async (visit) => {
    const { key } = await newKey(visit, { label: "=SUM(1,2)", budget_micros_usd: 1_000_000 })
    const { chat, read, rerank, stream } = callsWith(visit, key)
    for (const answer of [rerank(), chat(), chat("cached; tokens=4"), chat("status; code=500"), stream()])
      await (await answer).text()
    const today = Math.floor(Date.now() / 1000 / day) * day
    const report = await read<UsageReport>(`/v1/usage?start_time=${today - 6 * day}&end_time=${today + day}`)
    const { totals } = report
    expect(totals.requests).toBe(5)

    const tab = await visit.signedIn("/", { key })
    await expect.poll(() => figure(tab, "Calls").textContent()).toBe("5")
    expect(await figure(tab, "Failed").textContent()).toBe("1")
    expect(await figure(tab, "Tokens in").textContent()).toBe(`${totals.input_tokens}`)
    expect(await figure(tab, "Tokens out").textContent()).toBe(`${totals.output_tokens}`)
    expect(await figure(tab, "List price").textContent()).toBe(usd(totals.usage_value_micros_usd))
    expect(await figure(tab, "Charged").textContent()).toBe(usd(totals.charged_micros_usd))
    await tab.getByText("The first call was in this day, so no estimate yet.").waitFor()
    await tab.getByText("Calls of the key =SUM(1,2).").waitFor()
    await tab.getByRole("meter", { name: "Budget" }).waitFor()
    await tab.getByText("20% of calls").waitFor()

    const sums = (lines: ReadonlyArray<string>, column: number) =>
      lines.reduce((sum, line) => sum + Number(line.split(",").at(column)), 0)
    for (const [choice, name, count] of [
      ["By day", "day", 7],
      ["By operation", "operation", 2],
      ["By model", "model", 2],
      ["By key", "key", 1]
    ] as const) {
      const file = await exported(tab, choice)
      expect(file.name).toMatch(new RegExp(`^usage-by-${name}-\\d{4}-\\d\\d-\\d\\d-\\d{4}-\\d\\d-\\d\\d\\.csv$`))
      const [names = "", ...lines] = file.text.trimEnd().split("\r\n")
      expect([choice, lines.length]).toEqual([choice, count])
      // Each file is one table, whose rows add up. Labels may have commas, so that columns are counted from the end.
      const columns = names.split(",")
      for (const column of ["requests", "failed_requests", "input_tokens", "charged_micros_usd"] as const)
        expect([column, sums(lines, columns.indexOf(column) - columns.length)]).toEqual([column, totals[column]])
      expect(sums(lines, -1).toFixed(6)).toBe((totals.charged_micros_usd / 1e6).toFixed(6))
      // A spreadsheet shows the label, and does not calculate it.
      if (name === "key") expect(lines[0]).toContain(`,"'=SUM(1,2)",`)
    }
  })

  inConsole("how long the balance lasts is said by the rate since the first call", async (visit) => {
    const { key } = await newKey(visit, { budget_micros_usd: 1_000_000 })
    const tab = await visit.open("/?window=2026-03-02..2026-03-11")
    let usedBefore = false
    await tab.route(usage, async (route) => {
      const response = await route.fetch()
      const series = (await response.json()) as UsageSeries
      // Two of the ten days have use: the last ones.
      const totals = { ...series.totals, requests: 4, charged_micros_usd: 100_000 }
      const buckets = series.buckets.map((bucket, i) => ({ ...bucket, requests: i < 8 ? 0 : 2 }))
      const before = { ...series.before, requests: usedBefore ? 1 : 0 }
      await route.fulfill({ response, json: { ...series, totals, buckets, before } })
    })
    await signIn(tab, key)
    await tab.getByText("Lasts about 20 days at the rate since the first call, on Tue, Mar 10 (UTC).").waitFor()
    usedBefore = true
    await tab.getByRole("radio", { name: "30 days" }).check()
    await tab.getByText(/^Lasts .* at the rate of this window\.$/).waitFor()
  })

  inConsole("the window, the bars and the chart are in the address, and survive a reload", async (visit) => {
    await enoughOfHour()
    const { key } = await newKey(visit)
    const { chat, read } = callsWith(visit, key)
    await (await chat()).text()
    const tab = await visit.signedIn("/", { key })
    const chart = tab.getByRole("img")
    await chart.waitFor()
    await tab.getByRole("radio", { name: "24 hours" }).check()
    await expect.poll(() => chart.getAttribute("aria-label")).toBe("Calls by hour")
    await tab.getByRole("radio", { name: "Tokens" }).check()
    await expect.poll(() => chart.getAttribute("aria-label")).toBe("Tokens by hour")
    await tab.getByRole("radio", { name: "Model" }).check()
    await expect.poll(() => new URL(tab.url()).search).toBe("?window=24h&show=tokens&by=model")
    await expect.poll(() => tab.getByRole("link", { name: "Overview" }).getAttribute("aria-current")).toBe("page")

    await tab.reload()
    await expect.poll(() => chart.getAttribute("aria-label")).toBe("Tokens by hour")
    await expect.poll(() => tab.getByRole("radio", { name: "Model" }).isChecked()).toBe(true)

    // The pointer shows one bar, and the table has them all.
    const series = await read<UsageSeries>(
      `/account/v1/usage?start_time=${Math.ceil(Date.now() / 1000) - 3_600}&width=1h`
    )
    const { input_tokens } = series.totals
    await chart.locator(":scope > div").last().hover()
    await chart.getByText(`${input_tokens}`, { exact: true }).locator("visible=true").waitFor()
    await tab.getByText("Show as a table").click()
    const rows = tab.getByRole("group", { name: /as a table/ }).getByRole("row")
    await expect.poll(() => rows.count()).toBe(25)
  })

  inConsole("days of one's own choice, and none that make no window", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/?window=2026-02-31..nonsense&width=5m&by=%3Cimg%3E&show=__proto__", { key })
    await tab.getByRole("heading", { name: "No calls yet" }).waitFor()
    await expect.poll(() => tab.getByRole("radio", { name: "7 days" }).isChecked()).toBe(true)
    await tab.getByRole("radio", { name: "Custom" }).click()
    await tab.getByLabel("First day").fill("2026-03-05")
    await tab.getByLabel("Last day").fill("2026-03-01")
    await tab.getByRole("button", { name: "Show these days" }).click()
    await tab.getByText("The first day is after the last.").waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.getByLabel("First day").fill("2026-02-20")
    await tab.getByRole("button", { name: "Show these days" }).click()
    await tab.getByRole("button", { name: "2026-02-20 – 2026-03-01" }).waitFor()
    await expect.poll(() => new URL(tab.url()).searchParams.get("window")).toBe("2026-02-20..2026-03-01")
  })

  inConsole("a row leads to its calls", async (visit) => {
    const { id, key } = await newKey(visit)
    const { chat } = callsWith(visit, key)
    await (await chat()).text()
    const tab = await visit.signedIn("/?by=key", { key })
    await tab.getByRole("table").getByRole("link", { name: "laptop" }).click()
    await tab.getByRole("heading", { level: 1, name: "Calls" }).waitFor()
    expect(new URL(tab.url()).search).toBe(`?key=${id}`)
    await tab.getByRole("row", { name: /chat\.completions/ }).waitFor()
  })

  inConsole("a gateway that is slow or fails keeps the last figures in view", async (visit) => {
    const { key } = await newKey(visit)
    const { chat } = callsWith(visit, key)
    await (await chat()).text()
    const tab = await visit.open("/")
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await tab.route(usage, async (route) => {
      await held
      await route.continue()
    })
    await signIn(tab, key)
    await tab.getByRole("status", { name: "Loading" }).waitFor()
    answer()
    await expect.poll(() => figure(tab, "Calls").textContent()).toBe("1")

    await tab.unroute(usage)
    await tab.route(usage, (route) => route.fulfill(failing))
    await tab.getByRole("radio", { name: "30 days" }).check()
    await tab.getByRole("alert").getByText("Not now, please.").waitFor()
    await tab.getByText("The figures below may be out of date.").waitFor()
    expect(await figure(tab, "Calls").textContent()).toBe("1")
    expect(await axe(tab)).toEqual([])
    await tab.unroute(usage)
    await tab.getByRole("button", { name: "Try again" }).click()
    await tab.getByRole("alert").waitFor({ state: "detached" })
    await expect.poll(() => figure(tab, "Calls").textContent()).toBe("1")
  })

  inConsole("axe finds nothing, and a phone shows it without scrolling sideways", async (visit) => {
    const { key } = await newKey(visit, { day_budget_micros_usd: 2_000 })
    const { chat, rerank } = callsWith(visit, key)
    for (const answer of [rerank(), chat(), chat("status; code=500")]) await (await answer).text()
    const tab = await visit.signedIn("/", { key })
    await tab.getByRole("img", { name: "Calls by day" }).waitFor()
    await tab.getByRole("meter", { name: "Budget for the day" }).waitFor()
    expect(await axe(tab)).toEqual([])
    await tab.setViewportSize(phone)
    expect(await isTooWide(tab)).toBe(false)
    expect(await axe(tab)).toEqual([])
  })
})
