import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly chromium: string
  }
}

const places = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** Finds programs that npm does not install, one line for each that is missing, and builds the console if it changed. */
export default ({ provide }: TestProject): void => {
  const chromium = places.find((path) => path !== undefined && existsSync(path))
  if (chromium === undefined) {
    console.log("Not run: the tests in Chromium. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.")
  }
  provide("chromium", chromium ?? "")
  // Here, once for all test files: they run at the same time.
  execFileSync(process.execPath, [join(import.meta.dirname, "../../apps/console/build.ts")], { stdio: "inherit" })
}
