// Made by `pnpm generate` from apps/console/src/pages.ts.

/** First segments of the console's own addresses, which all show its one page. Others may be paths of the interface. */
export const consoleSegments: ReadonlySet<string> = new Set([
  "sign-in",
  "playground",
  "models",
  "calls",
  "tasks",
  "keys",
  "billing",
  "limits",
  "links",
  "grants",
  "tools",
  "operator"
])
