import { expect } from "@effect/vitest"
import { axe, type ConsoleVisit, consoleTests, phone } from "@tollgate/testing/console/consolePage"
import { readFile } from "node:fs/promises"
import type { Page } from "playwright-core"

const version = "2026-07-28"

interface Found {
  readonly results: ReadonlyArray<{ readonly operation_id: string; readonly price: string }>
  readonly note?: string
}

/** What the tool `search` answers to an agent. */
const search = async ({ address, key }: ConsoleVisit, query: string): Promise<Found> => {
  const answer = await fetch(`${address}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": version,
      "mcp-method": "tools/call",
      "mcp-name": "search"
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "search",
        arguments: { query },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": version,
          "io.modelcontextprotocol/clientCapabilities": {},
          "tollgate/structured": true
        }
      }
    })
  })
  const { result } = (await answer.json()) as { readonly result: { readonly structuredContent: Found } }
  return result.structuredContent
}

const results = (tab: Page) => tab.getByRole("list", { name: "Operations found" }).getByRole("link")

const look = async (tab: Page, query: string) => {
  await tab.getByRole("searchbox").fill(query)
  await tab.getByRole("searchbox").press("Enter")
}

const docs = new URL("../../../../docs/agents.md", import.meta.url)

/** The first block of code of each section, and its text. */
const sectionsOf = (markdown: string) =>
  new Map(
    markdown.split(/^## /m).map((section) => {
      const title = section.slice(0, section.indexOf("\n")).replace(" and claude.ai", "")
      return [title, { text: section, code: /^```[^\n]*\n([^]*?)\n```$/m.exec(section)?.[1] }] as const
    })
  )

consoleTests({}, (inConsole) => {
  inConsole("a search finds what an agent finds, and leads to the playground", async (visit) => {
    const tab = await visit.signedIn("/tools")
    for (const query of ["sort documents by relevance", "posts of a person", "make a video"]) {
      const found = await search(visit, query)
      await look(tab, query)
      await expect
        .poll(() => results(tab).locator("code").allTextContents())
        .toEqual(found.results.map(({ operation_id }) => operation_id))
      expect(await results(tab).first().textContent()).toContain(found.results[0]?.price)
    }
    const { results: videos } = await search(visit, "make a video")
    await results(tab).first().click()
    await tab.waitForURL(`**/playground/${videos[0]?.operation_id}`)
  })

  inConsole("a search without words or without results says what to do", async (visit) => {
    const tab = await visit.signedIn("/tools")
    for (const query of ["", "  ", "zzxqv qqqq", "<img src=x onerror=alert(1)>", "\u202e☃"]) {
      const { note = "", results: found } = await search(visit, query)
      await results(tab).first().waitFor()
      await look(tab, query)
      if (found.length > 0) continue
      await tab.getByText("No operation found").waitFor()
      await tab.getByText(note).waitFor()
      await look(tab, "rerank")
    }
    await look(tab, "")
    await tab.getByText("No operation found").waitFor()
  })

  inConsole("the snippets are those of the documentation, with the address of this gateway", async (visit) => {
    const sections = sectionsOf((await readFile(docs, "utf8")).replaceAll("https://gateway.example.com", visit.address))
    const tab = await visit.signedIn("/tools")
    await tab.getByRole("radio").first().waitFor()
    const programs = await tab.getByRole("group", { name: "Agent" }).locator("label").allTextContents()
    expect(programs).toEqual(["Claude Code", "Claude Desktop", "Cursor", "VS Code", "Codex", "ChatGPT"])
    for (const program of programs) {
      await tab.getByRole("radio", { name: program }).check()
      const section = sections.get(program)
      const code = (await tab.locator("figure pre").textContent()) ?? ""
      const where = ((await tab.locator("figure figcaption").textContent()) ?? "").replace(/Copy$/, "")
      // Some take the address alone.
      const expected = code === `${visit.address}/mcp` ? code : section?.code
      expect([program, code]).toEqual([program, expected])
      const text = section?.text.replace(/\s+/g, " ") ?? ""
      if (where !== "In a terminal") expect([program, text.includes(where)]).toEqual([program, true])
      expect(text).toContain(`${visit.address}/mcp`)
    }
    expect(await axe(tab)).toEqual([])
    await tab.setViewportSize(phone)
    expect(await tab.locator("html").evaluate((html) => html.scrollWidth > innerWidth)).toBe(false)
  })

  inConsole("a search that fails keeps the last results, and is tried again", async (visit) => {
    const tab = await visit.signedIn("/tools")
    await results(tab).first().waitFor()
    const before = await results(tab).count()
    await tab.route("**/mcp", (route) => route.fulfill({ status: 500 }))
    await look(tab, "make a video")
    await tab.getByRole("alert").waitFor()
    expect(await results(tab).count()).toBe(before)
    expect(await axe(tab)).toEqual([])
    await tab.unroute("**/mcp")
    await tab.getByRole("button", { name: "Try again" }).click()
    await tab.getByRole("alert").waitFor({ state: "detached" })
    await results(tab).first().getByText("video.create").waitFor()
  })
})
