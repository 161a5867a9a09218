import axeCore from "axe-core"
import type { CDPSession, Page } from "playwright-core"

const themes = ["light", "dark"] as const

const run = `axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))]))`

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
  await evaluate(session, `${axeCore.source};undefined`)
  for (const colorScheme of themes) {
    await tab.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    const violations = await evaluate(session, run)
    for (const violation of Array.isArray(violations) ? violations : [violations]) found.push([colorScheme, violation])
  }
  await tab.emulateMedia({ colorScheme: null, reducedMotion: null })
  await session.detach()
  return found
}
