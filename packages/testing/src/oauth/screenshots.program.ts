/**
 * Makes the pictures of consent and approval again: `node packages/testing/src/oauth/screenshots.program.ts`.
 * With `IMAGES`, a folder, also in the dark and on a phone.
 */
import { micro } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { chromium, type Page } from "playwright-core"
import { key } from "../TestGateway.ts"
import { TestClient } from "./client.ts"
import { linkIn } from "./approving.ts"
import { OAuthGateway } from "./OAuthGateway.ts"

const own = process.env["IMAGES"]
const images = own ?? join(import.meta.dirname, "../../../../docs/images")
mkdirSync(images, { recursive: true })

/** The guide shows the first. The others are to be looked at, in a folder of your own. */
const looks = [
  { suffix: "", colorScheme: "light", width: 760 },
  { suffix: "-dark", colorScheme: "dark", width: 760 },
  { suffix: "-phone", colorScheme: "light", width: 390 },
  { suffix: "-phone-dark", colorScheme: "dark", width: 390 }
] as const

/** Enough to cost a cent. */
const documents = Array.from({ length: 8_000 }, (_, i) => `Chapter ${i + 1}: rivers bend where banks erode.`)

const take = async (tab: Page, name: string): Promise<void> => {
  const width = tab.viewportSize()?.width ?? 0
  await tab.setViewportSize({ width, height: 100 })
  const height = await tab.locator("body").evaluate(({ scrollHeight }) => scrollHeight)
  await tab.setViewportSize({ width, height: Math.ceil(height) })
  const session = await tab.context().newCDPSession(tab)
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 75 })
  writeFileSync(join(images, `${name}.webp`), Buffer.from(data, "base64"))
  await session.detach()
  if (own !== undefined) await tab.screenshot({ path: join(images, `${name}.png`) })
}

const program = Effect.gen(function* () {
  const { account, baseUrl, grants } = yield* OAuthGateway
  const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium"
  const args = ["--headless", "--no-sandbox", "--disable-gpu"]
  const browser = yield* Effect.acquireRelease(
    Effect.promise(() => chromium.launch({ executablePath, args })),
    (browser) => Effect.promise(() => browser.close())
  )
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  yield* Effect.promise(async () => {
    for (const { colorScheme, suffix, width } of own === undefined ? looks.slice(0, 1) : looks) {
      const client = await TestClient.register(baseUrl, { client_name: "Research agent" })
      const viewport = { width, height: 600 }
      const context = await browser.newContext({
        colorScheme,
        viewport,
        deviceScaleFactor: 1.5,
        javaScriptEnabled: false
      })
      const tab = await context.newPage()
      await tab.goto((await client.address("v".repeat(43))).href)
      await tab.getByLabel("API key").fill(key)
      await tab.getByLabel("API key").press("Enter")
      await tab.getByRole("button", { name: "Approve" }).waitFor()
      await take(tab, `consent${suffix}`)

      const { access_token } = await client.signIn()
      const [grant] = await run(grants.list(account))
      await run(grants.change(grant?.id ?? "", { askAbove: micro(5_000n), dayLimit: micro(1_000_000n) }))
      const refused = await fetch(`${baseUrl}/v1/rerank`, {
        method: "POST",
        headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json" },
        body: JSON.stringify({ query: "Why do rivers bend?", documents })
      })
      await tab.goto(linkIn(await refused.text()))
      await take(tab, `approval${suffix}`)
      await run(grants.revoke(grant?.id ?? ""))
      await context.close()
    }
  })
}).pipe(Effect.scoped, Effect.provide(OAuthGateway.layer({ server: { hasConsole: true } })))

await Effect.runPromise(program)
process.exit(0)
