import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { createServer, type AddressInfo } from "node:net"
import { gatewayAt } from "./gateway.ts"
import { type Report, reportIn } from "./report.ts"

// Runs the public conformance suite of MCP against a gateway. Not a dependency: it brings a hundred packages.
const suite = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
const revisions = ["2026-07-28", "2025-11-25"]

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const run = (revision: string, url: string) =>
  new Promise<string>((resolve) => {
    const child = spawn("npx", ["--yes", suite, "server", "--url", url, "--requirements", revision], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk))
    child.on("close", () => resolve(output))
  })

const show = (revision: string, { failed, optional, required }: Report) => {
  console.log(`MCP ${revision}: ${required - failed.length} of ${required} required scenarios pass`)
  for (const name of failed) console.log(`  failed: ${name}`)
  if (optional.length > 0) console.log(`  not required, and not passed: ${optional.join(", ")}`)
}

const port = await freePort()
const stop = new AbortController()
const gateway = Effect.runPromiseExit(Layer.launch(gatewayAt(port)), { signal: stop.signal })
let passed = true
for (const revision of revisions) {
  const output = await run(revision, `http://127.0.0.1:${port}/mcp`)
  const report = reportIn(output)
  if (report.required === 0) console.log(output)
  show(revision, report)
  passed &&= report.required > 0 && report.failed.length === 0
}
stop.abort()
await gateway
process.exit(passed ? 0 : 1)
