import { findPostgres, startPostgres } from "@tollgate-tooling/programs/postgres.ts"
import type { Server } from "@tollgate-tooling/programs/server.ts"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as conversation from "./conversation.ts"
import { alone } from "./alone.ts"
import { post } from "./load.ts"
import { type Middle, median, middle } from "./middle.ts"
import { type Program, program } from "./program.ts"
import * as question from "./question.ts"
import * as tool from "./tool.ts"

// Compares this checkout with a commit, or with another checkout: `pnpm bench gate main`. It fails if a call takes more than
// 3 % more processor time, as far as the measurements can tell. Each process runs alone, from its start to its end: a process
// keeps the speed that its optimizer happened to give it, and one that idles beside another disturbs it. So several
// processes are measured, in pairs of alternating order, each by its quickest round. Pairs are added until the measurements decide.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, processes: { type: "string" }, most: { type: "string" } }
})
const allowed = 1.03
const processes = Number(values.processes ?? 8)
const most = Math.max(processes, Number(values.most ?? 24))
const scale = { rounds: 24, seconds: 0.25, warmUp: 16_000, warmUpSeconds: 20 }
const connections = 32

/** The path of a chat call in one process, without sockets: the quietest one. */
interface PathKind {
  readonly name: "path"
}

interface ServedKind {
  readonly name: string
  readonly request: Buffer
  /** The program that stands for the upstream, and its arguments. */
  readonly upstream: readonly [name: string, ...args: ReadonlyArray<string>]
  readonly onPostgres?: true
}

type Kind = PathKind | ServedKind

const rerank = post(question.path, question.question)
const kinds: ReadonlyArray<Kind> = [
  { name: "path" },
  { name: "chat", request: post(conversation.path, conversation.conversation), upstream: ["upstream", "chat"] },
  { name: "rerank", request: rerank, upstream: ["upstream", "rerank"] },
  { name: "stream", request: post(conversation.path, conversation.streamed), upstream: ["sse", "1", "20"] },
  { name: "tool", request: tool.request, upstream: ["upstream", "rerank"] },
  { name: "postgres", request: rerank, upstream: ["upstream", "rerank"], onPostgres: true }
]
const wanted = values.only?.split(",")
const chosen = kinds.filter(({ name }) => wanted === undefined || wanted.includes(name))

const [other] = positionals
if (other === undefined || chosen.length === 0) {
  console.error(
    `pnpm bench gate <commit or folder> [--only ${kinds.map(({ name }) => name).join(",")}] [--processes 8] [--most 24]`
  )
  process.exit(1)
}

const here = resolve(import.meta.dirname, "../../..")
const ending: Array<() => unknown> = []

/** A folder as it is, or a commit in a folder of its own, with its packages. */
const checkoutOf = (named: string): string => {
  if (existsSync(named)) return resolve(named)
  const folder = join(mkdtempSync(join(tmpdir(), "tollgate-gate-")), "checkout")
  const git = (...words: ReadonlyArray<string>) => execFileSync("git", words, { cwd: here, stdio: "pipe" })
  git("worktree", "add", "--detach", folder, named)
  ending.push(() => {
    git("worktree", "remove", "--force", folder)
    rmSync(resolve(folder, ".."), { recursive: true, force: true })
  })
  const pnpm = String(JSON.parse(readFileSync(join(here, "package.json"), "utf8")).packageManager)
  execFileSync("npx", ["--yes", pnpm, "install", "--frozen-lockfile", "--prefer-offline"], {
    cwd: folder,
    stdio: "pipe"
  })
  return folder
}

let server: Server | undefined
let databases = 0
/** An empty one for each process, so that all find the same. */
const newDatabase = async (): Promise<string> => {
  const binaries = findPostgres()
  if (binaries === undefined) throw new Error("PostgreSQL is not installed: install it, or leave it out with --only")
  if (server === undefined) {
    server = await startPostgres(binaries, { fsync: true })
    ending.push(server.stop)
  }
  const name = `gate_${++databases}`
  await Effect.runPromise(
    Effect.provide(
      SqlClient.use((sql) => sql.unsafe(`CREATE DATABASE ${name}`)),
      PostgresClient.layer({ address: Redacted.make(`${server.url}/postgres`), maxConnections: 1 })
    )
  )
  return `${server.url}/${name}`
}

/** Processor time of a call in microseconds, in a process of its own. */
type Measure = (root: string) => Promise<number>

const measurePath: Measure = async (root) => {
  const printed = execFileSync(process.execPath, ["tooling/bench/src/path.ts"], { cwd: root, encoding: "utf8" })
  return Number(/lowest ([\d.]+)/.exec(printed)?.[1])
}

const measureServed =
  ({ onPostgres, request }: ServedKind, upstream: Program): Measure =>
  async (root) => {
    const address = `http://127.0.0.1:${upstream.port}`
    const store = onPostgres === undefined ? [] : [address, await newDatabase()]
    const start = () => program(resolve(root, "tooling/bench/src/programs/tollgate.ts"), address, "billing", ...store)
    const { failed, quickest } = await alone(start, request, connections, scale)
    if (failed > 0) throw new Error(`${failed} calls failed`)
    return quickest
  }

const undecided = "not decided"
const verdictOf = ({ high, low, median }: Middle) =>
  median > allowed && low > 1 ? "slower" : high < allowed ? "ok" : undecided

/** Whether the checkout is slower, as far as the measurements can tell. */
const compare = async (name: string, measure: Measure, there: string) => {
  const taken: Array<readonly [there: number, here: number]> = []
  let ratio = middle([])
  while (taken.length < processes || (taken.length < most && verdictOf(ratio) === undecided)) {
    const isEven = taken.length % 2 === 0
    const first = await measure(isEven ? there : here)
    const second = await measure(isEven ? here : there)
    taken.push(isEven ? [first, second] : [second, first])
    ratio = middle(taken.map(([before, after]) => after / before))
  }
  return {
    call: name,
    processes: taken.length,
    "before, µs": Math.round(median(taken.map(([before]) => before))),
    "now, µs": Math.round(median(taken.map(([, after]) => after))),
    ratio: Number(ratio.median.toFixed(3)),
    "surely from": Number(ratio.low.toFixed(3)),
    "surely to": Number(ratio.high.toFixed(3)),
    verdict: verdictOf(ratio)
  }
}

const compareServed = async (kind: ServedKind, there: string) => {
  const [name, ...args] = kind.upstream
  const upstream = await program(name, ...args)
  const row = await compare(kind.name, measureServed(kind, upstream), there)
  upstream.stop()
  return row
}

try {
  const there = checkoutOf(other)
  const rows = []
  for (const kind of chosen) {
    rows.push("request" in kind ? await compareServed(kind, there) : await compare(kind.name, measurePath, there))
  }
  console.log(`processor time of a call in the quickest part of each process, against ${other}`)
  console.table(rows)
  if (rows.some(({ verdict }) => verdict !== "ok")) process.exitCode = 1
} finally {
  for (const end of ending.toReversed()) await end()
}
process.exit()
