/** Makes the pictures of the README again: `node packages/testing/src/console/screenshots.program.ts`. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium, type Page } from "playwright-core"
import { playground } from "./playground.ts"

const workspace = join(import.meta.dirname, "../../../..")
const images = join(workspace, "docs/images")
const data = mkdtempSync(join(tmpdir(), "tollgate-screenshots-"))
process.env.TOLLGATE_DATA = data
process.once("exit", () => rmSync(data, { recursive: true, force: true }))
execFileSync(process.execPath, [join(workspace, "apps/console/build.ts")], { stdio: "inherit" })
const { address, key } = await import("./history.program.ts")

const signIn = async (tab: Page): Promise<void> => {
  await tab.goto(`${address}/sign-in`)
  await tab.getByRole("button", { name: "Sign in with OAuth" }).click()
  await tab.waitForURL("**/oauth/interaction/*")
  await tab.getByLabel("API key").fill(key)
  await tab.getByRole("button", { name: "Sign in", exact: true }).click()
  await tab.getByRole("textbox", { name: "Budget in USD", exact: true }).fill("25")
  await tab.getByRole("button", { name: "Approve" }).click()
  await tab.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
}

const take = async (tab: Page, name: string): Promise<void> => {
  await tab.evaluate(() => document.fonts.ready)
  const session = await tab.context().newCDPSession(tab)
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 88 })
  writeFileSync(join(images, `${name}.webp`), Buffer.from(data, "base64"))
  await session.detach()
}

mkdirSync(images, { recursive: true })
const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium"
const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu"] })
for (const colorScheme of ["light", "dark"] as const) {
  const suffix = colorScheme === "dark" ? "-dark" : ""
  const viewport = { width: 1440, height: 1000 }
  const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor: 2, locale: "en-US" })
  const tab = await context.newPage()
  await signIn(tab)

  await tab.getByRole("radio", { name: "30 days" }).check()
  await tab.getByRole("row", { name: /chat.completions/ }).waitFor()
  await tab.mouse.move(0, 0)
  await take(tab, `console-overview${suffix}`)

  await tab.goto(`${address}/playground/chat.completions`)
  const quote = tab.getByText(/^at most/).first()
  await quote.waitFor()
  await playground(tab).run()
  await playground(tab).ended()
  // The price of the next message stands beside the button.
  await tab.getByLabel("Message").last().fill("And why do they carve canyons?")
  const asking = tab.getByText(/^Asking for a quote/)
  await asking.waitFor()
  await asking.waitFor({ state: "hidden" })
  await tab
    .getByText(/^curl /)
    .first()
    .waitFor()
  await tab.mouse.move(0, 0)
  await take(tab, `console-playground${suffix}`)
  await context.close()
}
await browser.close()
process.exit(0)
