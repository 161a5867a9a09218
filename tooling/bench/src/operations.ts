import { bundleGateway, gatewayProgram } from "@tollgate-tooling/programs/gateway.ts"
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { manyOperations } from "../../../packages/testing/src/operation/manyOperations.ts"
import { type Contestant, contest } from "./contest.ts"
import { post } from "./load.ts"
import { median } from "./middle.ts"
import { type Program, program } from "./program.ts"
import { key, path, question } from "./question.ts"

// What many operations of the operator's own cost: at the start, in memory, and for each call. They are GitHub's, imported from
// the document at OCTOKIT_OPENAPI, or else made up.
const starts = Number(process.env.BENCH_STARTS ?? 3)
const scale = {
  processes: Number(process.env.BENCH_PROCESSES ?? 3),
  rounds: Number(process.env.BENCH_ROUNDS ?? 5),
  seconds: Number(process.env.BENCH_SECONDS ?? 0.7),
  warmUp: Number(process.env.BENCH_WARM_UP ?? 20_000),
  warmUpSeconds: 6
}
const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-operations-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

const upstreams = { api: { protocol: "json", baseUrl: "http://127.0.0.1:9", private: true } }

/** A configuration with the operations of a file beside it. */
const configured = (name: string): string => {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify({ upstreams, operations: [{ file: `${name}.operations.json` }] }))
  return file
}

interface Described {
  /** Configurations with one operation, and with all. */
  readonly one: string
  readonly all: string
  readonly count: number
  /** A call of the one operation. */
  readonly call: string
}

const madeUp = (count: number): Described => {
  const write = (name: string, some: number): string => {
    const written = manyOperations(some)
    const operations = written.operations.map((operation) => ({
      ...operation,
      upstream: { ...operation.upstream, name: "api" }
    }))
    writeFileSync(join(folder, `${name}.operations.json`), JSON.stringify({ ...written, operations }))
    return configured(name)
  }
  const call = "/acme/v1/repositories/tollgate/branches/main?per_page=10"
  return { one: write("one", 2), all: write("all", count), count, call }
}

const imported = (document: string): Described => {
  const write = (name: string, ...flags: ReadonlyArray<string>): string => {
    const out = join(folder, `${name}.operations.json`)
    const config = configured(name)
    const args = ["operations", "import", document, "--upstream", "api", "--price", "0.002", "--out", out, ...flags]
    const env = { PATH: process.env.PATH, TOLLGATE_CONFIG: config, TOLLGATE_DATA: folder }
    execFileSync(process.execPath, [gatewayProgram, ...args], { env, stdio: ["ignore", "ignore", "inherit"] })
    return config
  }
  const all = write("all")
  const { operations } = JSON.parse(readFileSync(join(folder, "all.operations.json"), "utf8")) as {
    readonly operations: ReadonlyArray<unknown>
  }
  const call = "/apis/v1/api/repos/octo/hello/issues?state=open&per_page=5"
  return {
    one: write("one", "--only", "GET /repos/{owner}/{repo}/issues"),
    all,
    count: operations.length,
    call
  }
}

interface Started {
  readonly millis: number
  readonly megabytes: number
}

/** Starts the program as an operator does, and ends it again. */
const start = (config: string): Promise<Started> =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    const data = mkdtempSync(join(folder, "data-"))
    const child = spawn(process.execPath, [gatewayProgram], {
      env: { PATH: process.env.PATH, TOLLGATE_PORT: "0", TOLLGATE_CONFIG: config, TOLLGATE_DATA: data },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      if (!text.includes("Ctrl-C")) return
      const millis = performance.now() - begun
      const kilobytes = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? "0"
      child.stdout.removeAllListeners("data")
      child.removeAllListeners("exit").once("exit", () => resolve({ millis, megabytes: Number(kilobytes) / 1_000 }))
      child.kill("SIGTERM")
    })
    child.once("exit", () => reject(new Error(`the gateway did not start: ${text}`)))
  })

await bundleGateway()
const document = process.env.OCTOKIT_OPENAPI ?? ""
const isThere = existsSync(document)
const described = isThere ? imported(document) : madeUp(Number(process.env.BENCH_OPERATIONS ?? 1_000))
const none = join(folder, "none.json")
writeFileSync(none, JSON.stringify({ upstreams }))
const title = `${described.count} ${isThere ? "operations of GitHub" : "made-up operations"}`

const taken = new Map<string, Array<Started>>([
  [none, []],
  [described.all, []]
])
for (let i = 0; i < starts; i++) {
  for (const config of i % 2 === 0 ? [none, described.all] : [described.all, none]) {
    taken.get(config)?.push(await start(config))
  }
}
console.log(`${title}: start of the program, medians of ${starts}`)
console.table(
  [...taken].map(([config, runs]) => ({
    operations: config === none ? "built-in only" : `and ${described.count}`,
    "start, ms": Math.round(median(runs.map(({ millis }) => millis))),
    "resident, MB": Math.round(median(runs.map(({ megabytes }) => megabytes)))
  }))
)

const upstream = await program("upstream")
const gateway = (config: string): Promise<Program> => {
  process.env.BENCH_CONFIG = config
  return program("tollgate", `http://127.0.0.1:${upstream.port}`, "billing")
}
const get = (path: string): Buffer =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n\r\n`)

/** Measures the same call with few operations and with all, and says what it costs with all. */
const compare = async (what: string, file: string, request: Buffer, few: string, fewWords: string): Promise<void> => {
  const contestants: ReadonlyArray<Contestant> = [
    { name: fewWords, start: () => gateway(few), request },
    { name: `and ${described.count}`, start: () => gateway(described.all), request }
  ]
  const [, many] = await contest(what, file, contestants, scale)
  const times = (ratio = Number.NaN): string => ratio.toFixed(3)
  console.log(
    `${what} costs ${times(many?.cpuRatio)} times the processor time; throughput is ${times(many?.ratio)} times\n`
  )
}
await compare("a call of a built-in operation", "operations.json", post(path, question), none, "built-in only")
await compare("a call of an own operation", "ownOperations.json", get(described.call), described.one, "only this one")
upstream.stop()
