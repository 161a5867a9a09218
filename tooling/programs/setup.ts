import { existsSync } from "node:fs"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly chromium: string
  }
}

const places = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** Finds programs that npm does not install. Prints one line for each that is missing. */
export default ({ provide }: TestProject): void => {
  const chromium = places.find((path) => path !== undefined && existsSync(path))
  if (chromium === undefined) {
    console.log("Not run: the tests in Chromium. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.")
  }
  provide("chromium", chromium ?? "")
}
