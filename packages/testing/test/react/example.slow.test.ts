import { describe, expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { bundlePage, chromium, hasChromium } from "@tollgate/testing/chromium"
import { endedCalls } from "@tollgate/testing/react/endedCalls"
import { pricedSandbox } from "@tollgate/testing/react/pricedSandbox"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"

const fileAt = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

const shown = {
  "packages/react/README.md": "packages/testing/src/react/example.tsx",
  "packages/react/TESTING.md": "packages/react/test/example.test.tsx",
  "docs/client-browser.md": "packages/testing/src/react/panel.tsx"
}

for (const [page, program] of Object.entries(shown))
  it(`${page} shows ${program}, which is compiled or run`, () => {
    const source = fileAt(`../../../../${program}`)
    expect(fileAt(`../../../../${page}`)).toContain(`\`\`\`tsx\n${source}\`\`\``)
  })

const slow = "interval; ms=50"

describe.skipIf(!hasChromium)("the example in Chromium", () => {
  it.live("streams an answer, shows its cost, and nothing on the page jumps", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const script = (yield* bundlePage("./react/example.tsx", "development"))
        .replaceAll("http://127.0.0.1:8787", baseUrl)
        .replace(/"tg_(…|\\u2026)"/, JSON.stringify(key))
        .replace('model: "sandbox"', `model: "sandbox:${slow}"`)
      const { port } = yield* httpUpstream((res, { url }) =>
        url === "/page.js"
          ? res.setHeader("content-type", "text/javascript").end(script)
          : res
              .setHeader("content-type", "text/html")
              .end(`<!doctype html><body><script type=module src=/page.js></script>`)
      )
      const browser = yield* chromium
      yield* Effect.promise(async () => {
        const tab = await browser.newPage()
        await tab.goto(`http://127.0.0.1:${port}/`)
        await tab.getByRole("button", { name: "Ask" }).waitFor()
        const shifts = await tab.evaluateHandle(() => {
          const shifts: Array<number> = []
          new PerformanceObserver((list) => void shifts.push(list.getEntries().length)).observe({
            type: "layout-shift"
          })
          return shifts
        })
        await tab.getByRole("button", { name: "Ask" }).click()
        const stop = tab.getByRole("button", { name: "Stop" })
        // Both in one look: the stream goes on meanwhile.
        await tab.waitForFunction(
          () =>
            (document.querySelector("p:last-child")?.textContent ?? "").length > 40 &&
            [...document.querySelectorAll("button")].some(
              ({ disabled, textContent }) => textContent === "Stop" && !disabled
            )
        )
        await tab.getByText(/done \$0\.00\d+/).waitFor()
        await expect.poll(() => stop.isDisabled()).toBe(true)
        expect(await shifts.jsonValue()).toEqual([])
      })
      yield* endedCalls(1)
      expect(yield* (yield* TestGateway).billingLog.count).toBe(1)
    }).pipe(Effect.scoped, Effect.provide(pricedSandbox([slow])))
  )
})
