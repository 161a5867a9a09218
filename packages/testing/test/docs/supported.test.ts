import { runtimes, typescripts } from "@tollgate-tooling/programs/supported.ts"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"

const page = readFileSync(new URL("../../../../docs/client-reference.md", import.meta.url), "utf8")
const packages = ["node", "browser", "client"]

it("docs/client-reference.md names the runtimes and compilers that the tests try", () => {
  const rows = page
    .split("\n")
    .filter((line) => /^\| (?:Node|Bun|Deno|Cloudflare|Next|Chromium)[^|,]*\|(?:\s*(?:yes)?\s*\|){3}$/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, name, ...cells]) => [name, packages.filter((_, i) => cells[i] === "yes")])
  expect(Object.fromEntries(rows)).toEqual(runtimes)
  const [last] = typescripts.slice(-1)
  expect(page.replaceAll(/\s+/g, " ")).toContain(`TypeScript ${typescripts.slice(0, -1).join(", ")} and ${last}:`)
})
