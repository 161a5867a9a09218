import { findPostgres, startPostgres } from "@tollgate-tooling/programs/postgres.ts"
import type { Server } from "@tollgate-tooling/programs/server.ts"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as conversation from "./conversation.ts"
import { alone } from "./alone.ts"
import { post } from "./load.ts"
import { median, middle } from "./middle.ts"
import { type Program, program } from "./program.ts"
import * as question from "./question.ts"
import * as tool from "./tool.ts"

// Compares this checkout with a commit, or with another checkout: `pnpm bench:gate main`. It fails if a call takes more than
// 3 % more processor time, as far as the measurements can tell. Each process runs alone, from its start to its end: a process
// keeps the speed that its optimizer happened to give it, and one that idles beside another disturbs it. So several
// processes are measured, in pairs of alternating order.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, processes: { type: "string" }, rounds: { type: "string" } }
})
const allowed = 1.03
const processes = Number(values.processes ?? 8)
const scale = { rounds: Number(values.rounds ?? 5), seconds: 1, warmUp: 16_000, warmUpSeconds: 20 }
const connections = 32

interface Kind {
  readonly name: string
  readonly request: Buffer
  /** The program that stands for the upstream, and its arguments. */
  readonly upstream: readonly [name: string, ...args: ReadonlyArray<string>]
  readonly onPostgres?: true
}

const rerank = post(question.path, question.question)
const kinds: ReadonlyArray<Kind> = [
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
    `pnpm bench:gate <commit or folder> [--only ${kinds.map(({ name }) => name).join(",")}] [--processes 8]`
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
  execFileSync("pnpm", ["install", "--frozen-lockfile", "--prefer-offline"], { cwd: folder, stdio: "pipe" })
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
const measure = async (root: string, { onPostgres, request }: Kind, upstream: Program): Promise<number> => {
  const address = `http://127.0.0.1:${upstream.port}`
  const store = onPostgres === undefined ? [] : [address, await newDatabase()]
  const start = () => program(resolve(root, "tooling/bench/src/programs/tollgate.ts"), address, "billing", ...store)
  const { cpuMicros, failed } = await alone(start, request, connections, scale)
  if (failed > 0) throw new Error(`${failed} calls failed`)
  return cpuMicros
}

/** Whether the checkout is slower, as far as the measurements can tell. */
const compare = async (kind: Kind, there: string) => {
  const [name, ...args] = kind.upstream
  const upstream = await program(name, ...args)
  const taken: Array<readonly [there: number, here: number]> = []
  for (let turn = 0; turn < processes; turn++) {
    const first = await measure(turn % 2 === 0 ? there : here, kind, upstream)
    const second = await measure(turn % 2 === 0 ? here : there, kind, upstream)
    taken.push(turn % 2 === 0 ? [first, second] : [second, first])
  }
  upstream.stop()
  const ratio = middle(taken.map(([before, after]) => after / before))
  const isSlower = ratio.median > allowed && ratio.low > 1
  return {
    call: kind.name,
    "before, µs": Math.round(median(taken.map(([before]) => before))),
    "now, µs": Math.round(median(taken.map(([, after]) => after))),
    ratio: Number(ratio.median.toFixed(3)),
    "surely from": Number(ratio.low.toFixed(3)),
    "surely to": Number(ratio.high.toFixed(3)),
    verdict: isSlower ? "slower" : ratio.high < allowed ? "ok" : "not decided: run more processes"
  }
}

try {
  const there = checkoutOf(other)
  const rows = []
  for (const kind of chosen) rows.push(await compare(kind, there))
  console.log(`processor time of a call, ${processes} processes each, against ${other}`)
  console.table(rows)
  if (rows.some(({ verdict }) => verdict === "slower")) process.exitCode = 1
} finally {
  for (const end of ending.toReversed()) await end()
}
process.exit()
