import * as Effect from "effect/Effect"
import { build } from "esbuild"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Playwright from "playwright-core"
import { inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    /** The browser's path, or empty. `tooling/programs` provides it. */
    readonly chromium: string
  }
}

const executablePath = inject("chromium")

export const hasChromium = existsSync(executablePath)

const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Tabs of one browser context share a process: to start one and compile the page's scripts anew takes two seconds of CPU.
  "--renderer-process-limit=1",
  "--disable-features=IsolateOrigins,site-per-process",
  "--disable-site-isolation-trials"
]

/** Bounds only a failure: a busy machine may take long for anything. */
const timeout = 240_000

let launched: Promise<Playwright.Browser> | undefined

const launch = async (): Promise<Playwright.Browser> => {
  const browser = await Playwright.chromium.launch({ executablePath, args, timeout })
  return browser
    .on("context", (context) => context.setDefaultTimeout(timeout))
    .on("disconnected", () => (launched = undefined))
}

/** The browser of this process, which test files use one after the other. What was opened in it closes with the scope. */
export const chromium = Effect.acquireRelease(
  Effect.promise(() => (launched ??= launch())),
  (browser) => Effect.promise(() => Promise.all(browser.contexts().map((context) => context.close())))
)

/** Bundles a program of this package for a page. A development build has the checks that libraries make there. */
export const bundlePage = (path: string, mode: "production" | "development" = "production") =>
  Effect.promise(async () => {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL(path, import.meta.url))],
      bundle: true,
      format: "esm",
      platform: "browser",
      write: false,
      minify: mode === "production"
    })
    return outputFiles[0]?.text ?? ""
  })
