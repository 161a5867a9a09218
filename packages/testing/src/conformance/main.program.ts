import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startProduct } from "./product.ts"
import { compared, failedIn, listedIn } from "./report.ts"

type Checks = Parameters<typeof failedIn>[1]

// Runs the public conformance suite of MCP against the program. Not a dependency: it brings a hundred packages.
const suite = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
const revisions = ["2026-07-28", "2025-11-25"]

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const run = (revision: string, url: string, results: string) =>
  new Promise<unknown>((resolve) => {
    const options = ["--url", url, "--requirements", revision, "-o", results]
    const child = spawn("npx", ["--yes", suite, "server", ...options], { stdio: ["ignore", "ignore", "inherit"] })
    child.on("close", resolve)
  })

// The program has none of the suite's tools. What it cannot pass is listed in a document, with the reason.
const document = join(import.meta.dirname, "../../../../docs/internals/tools.md")
const listed = listedIn(readFileSync(document, "utf8"), "Checks that do not apply:")
const results = mkdtempSync(join(tmpdir(), "conformance-"))
const productPort = await freePort()
const stopProduct = await startProduct(productPort)
for (const revision of revisions) await run(revision, `http://127.0.0.1:${productPort}/mcp`, results)
await stopProduct()
const folders = readdirSync(results)
const checks = folders.map((folder) => JSON.parse(readFileSync(join(results, folder, "checks.json"), "utf8")) as Checks)
const failed = folders.flatMap((folder, i) => failedIn(folder, checks[i] ?? []))
rmSync(results, { recursive: true, force: true })
const total = checks.flat().filter(({ status }) => status === "SUCCESS" || status === "FAILURE").length
const { notFailed, notListed } = compared(listed, failed)
console.log(`The program: ${total - failed.length} checks pass, ${failed.length - notListed.length} do not apply`)
for (const { check, message, scenario } of notListed) console.log(`  failed: ${scenario}: ${check}: ${message}`)
for (const name of notFailed) console.log(`  listed, and did not fail: ${name}`)
const passed = total > 0 && notListed.length === 0 && notFailed.length === 0
process.exit(passed ? 0 : 1)
