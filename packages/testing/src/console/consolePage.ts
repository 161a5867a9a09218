import { layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { describe, expect } from "vitest"
import { chromium, hasChromium } from "../chromium.ts"
import { type Sessions, sessions } from "./sessions.ts"
import { type GatewayProgram, gatewayProgram, type ProgramOptions } from "./gatewayProgram.ts"

export { axe } from "./axe.ts"

export const desktop = { width: 1280, height: 860 }
export const phone = { width: 390, height: 844 }

export interface ConsoleVisit extends GatewayProgram {
  readonly browser: Browser
  /**
   * What went wrong in the tabs of this test: console errors, errors of scripts, requests to other origins. It must be empty
   * at its end; a test that expects something takes it out.
   */
  readonly wrong: Array<string>
  /** Opens a page of the console in a new tab. */
  readonly open: (path?: string, options?: BrowserContextOptions) => Promise<Page>
  /** The same, signed in with a key through the sign-in page. */
  readonly signedIn: (path?: string, options?: BrowserContextOptions & { readonly key?: string }) => Promise<Page>
}

const watch = (tab: Page, address: string, wrong: Array<string>): void => {
  const { origin } = new URL(address)
  tab.on("console", (message) => {
    // The browser itself logs each refused request.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) wrong.push(message.text())
  })
  tab.on("pageerror", (error) => wrong.push(String(error)))
  tab.on("request", (request) => {
    const url = new URL(request.url())
    if (url.protocol !== "data:" && url.protocol !== "blob:" && url.origin !== origin) wrong.push(request.url())
  })
}

/** Fills in the sign-in page that a tab shows. */
export const signIn = async (tab: Page, key: string): Promise<void> => {
  await tab.getByLabel("API key").fill(key)
  await tab.getByRole("button", { name: "Sign in", exact: true }).click()
}

const visit = (gateway: GatewayProgram, browser: Browser, sessions: Sessions): ConsoleVisit => {
  const wrong: Array<string> = []
  const open = async (path = "/", options: BrowserContextOptions = {}) => {
    const tab = await sessions.newTab({ viewport: desktop, ...options })
    watch(tab, gateway.address, wrong)
    await tab.goto(`${gateway.address}${path}`)
    return tab
  }
  return {
    ...gateway,
    browser,
    wrong,
    open,
    signedIn: async (path = "/", { key = gateway.key, ...options } = {}) => {
      const tab = await open(path, options)
      await signIn(tab, key)
      await tab.waitForURL(({ pathname }) => pathname !== "/sign-in")
      // The page that was asked for takes the focus when it is there, and would take it from what a test has focused.
      await tab.locator("#main:focus, #main :focus").waitFor()
      return tab
    }
  }
}

class Started extends Context.Service<
  Started,
  { readonly gateway: GatewayProgram; readonly browser: Browser; readonly sessions: Sessions }
>()("@tollgate/testing/console/Started") {
  static readonly layer = (options: ProgramOptions) =>
    Layer.effect(
      Started,
      Effect.all({ gateway: gatewayProgram(options), browser: chromium }, { concurrency: 2 }).pipe(
        Effect.map((started) => ({ ...started, sessions: sessions(started.browser, started.gateway.address) }))
      )
    )
}

export type ConsoleTest = (name: string, run: (visit: ConsoleVisit) => Promise<void>) => void

/**
 * Tests of the console in Chromium, on one gateway and one browser for the file. `tooling/programs` builds the console before.
 * Each tab is a browser session of its own.
 */
export const consoleTests = (options: ProgramOptions, define: (inConsole: ConsoleTest) => void): void => {
  describe.skipIf(!hasChromium)("in Chromium", () =>
    layer(Started.layer(options), { excludeTestServices: true })((it) =>
      define((name, run) =>
        it.effect(name, () =>
          Effect.gen(function* () {
            const { browser, gateway, sessions } = yield* Started
            const visited = visit(gateway, browser, sessions)
            yield* Effect.ensuring(
              Effect.promise(() => run(visited)),
              Effect.promise(sessions.end)
            )
            expect(visited.wrong).toEqual([])
          })
        )
      )
    )
  )
}
