import { checkers } from "../release/src/checkers.ts"
import { boundaries } from "./src/boundaries.ts"
import { changeset } from "./src/changeset.ts"
import { type Check, command } from "./src/Check.ts"
import { cycles } from "./src/cycles.ts"
import { declarations } from "./src/declarations.ts"
import { docPaths } from "./src/docPaths.ts"
import { places } from "./src/places.ts"
import { sizes } from "./src/sizes.ts"
import { tarballs } from "./src/tarballs.ts"
import { words } from "./src/words.ts"

const format = async (): Promise<string> => {
  const problems = await command("node", "tooling/format.ts", "--check")()
  return problems === "" ? "" : `${problems.trimEnd()}\n\`pnpm format\` formats them.`
}

const checks: ReadonlyArray<Check> = [
  { name: "types", problems: command("tsc", "-b", ...checkers, "tsconfig.json", "tsconfig.test.json") },
  { name: "lint", problems: command("oxlint") },
  { name: "format", problems: format },
  { name: "boundaries", problems: boundaries },
  { name: "cycles", problems: cycles },
  { name: "unused", problems: command("knip", "--no-progress", "--no-config-hints") },
  { name: "generated", problems: command("node", "tooling/generate/src/main.ts", "--check") },
  { name: "changeset", problems: changeset },
  { name: "places", problems: places },
  { name: "doc-paths", problems: docPaths },
  { name: "words", problems: words },
  { name: "sizes", problems: sizes },
  { name: "counts", problems: command("node", "tooling/bench/src/counts.ts", "--check") },
  { name: "declarations", after: "types", problems: declarations },
  { name: "tarballs", problems: tarballs }
]

const perform = async ({ name, problems }: Check): Promise<boolean> => {
  const start = performance.now()
  const found = await problems().catch((error: unknown) => String(error))
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${name.padEnd(14)}${found === "" ? "ok    " : "failed"}${seconds.padStart(6)} s`)
  if (found !== "") console.log(found.trimEnd().replace(/^/gm, "  "))
  return found === ""
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !checks.some((check) => check.name === name))
if (unknown.length > 0) {
  console.error(`No such check: ${unknown.join(", ")}. There are ${checks.map(({ name }) => name).join(", ")}.`)
  process.exit(1)
}

const waiting = checks.filter(({ name }) => asked.length === 0 || asked.includes(name))
const running = new Map<string, Promise<boolean>>()

/** Two checks at a time: most of them use more than one core. */
const worker = async (): Promise<boolean> => {
  const next = waiting.shift()
  if (next === undefined) return true
  const result = Promise.resolve(running.get(next.after ?? "")).then(() => perform(next))
  running.set(next.name, result)
  const ok = await result
  return (await worker()) && ok
}

const results = await Promise.all([worker(), worker()])
process.exitCode = results.every(Boolean) ? 0 : 1
