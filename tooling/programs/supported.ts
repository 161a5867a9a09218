/** The versions of TypeScript that compile programs with the packages. The last one is that of the workspace. */
export const typescripts = ["5.5", "5.9", "6.0", "7.0"] as const

/**
 * Where the client runs, with which of its packages. The tests run it in each that is installed. `docs/client-reference.md` shows it as a
 * table, which a test compares.
 */
export const runtimes = {
  "Node 20": ["node", "client"],
  "Node 22": ["node", "client"],
  "Node 24": ["node", "client"],
  Bun: ["node", "client"],
  Deno: ["node", "client"],
  "Cloudflare Workers": ["client"],
  "Next.js' edge runtime": ["client"],
  Chromium: ["browser", "client"]
} as const
