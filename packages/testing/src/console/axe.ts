import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { CDPSession, Page } from "playwright-core"

const source = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

const run = (options: object): string => `axe.run(${JSON.stringify({ resultTypes: ["violations"], ...options })})
  .then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))]))`

/** A theme changes only colors, so the second one is asked only for the rules about them. */
const runs = [
  ["light", run({})],
  ["dark", run({ runOnly: ["color-contrast", "link-in-text-block"] })]
] as const

/** The inspector is not bound by the page's policy, which allows no script but its own. */
const evaluate = async (session: CDPSession, expression: string): Promise<unknown> => {
  const { exceptionDetails, result } = await session.send("Runtime.evaluate", {
    expression,
    awaitPromise: true,
    returnByValue: true
  })
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return result.value
}

/** What axe finds in the page as it is now, in each theme. Expect `[]`. */
export const axe = async (tab: Page): Promise<ReadonlyArray<unknown>> => {
  const session = await tab.context().newCDPSession(tab)
  const found: Array<unknown> = []
  const isLoaded = await evaluate(session, `"axe" in globalThis`)
  if (isLoaded !== true) await evaluate(session, `${source};undefined`)
  for (const [colorScheme, expression] of runs) {
    await tab.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    const violations = await evaluate(session, expression)
    for (const violation of Array.isArray(violations) ? violations : [violations]) found.push([colorScheme, violation])
  }
  await tab.emulateMedia({ colorScheme: null, reducedMotion: null })
  await session.detach()
  return found
}
