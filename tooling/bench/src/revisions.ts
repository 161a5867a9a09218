import { resolve } from "node:path"
import { median } from "./contest.ts"
import * as conversation from "./conversation.ts"
import { load, post } from "./load.ts"
import { program } from "./program.ts"
import * as question from "./question.ts"

// Compares this checkout with others, for example `pnpm bench:revisions ../before`. A process keeps the speed that its
// optimizer happened to give it, up to 5 % apart. So each checkout runs in several processes, and pairs alternate.
const here = resolve(import.meta.dirname, "../../..")
const roots = [...process.argv.slice(2).map((root) => resolve(root)), here]
const processes = Number(process.env.BENCH_PROCESSES ?? 6)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 1)
const warmUp = Number(process.env.BENCH_WARM_UP ?? 16_000)
const isChat = process.env.BENCH_REQUEST === "chat"
const request = isChat ? post(conversation.path, conversation.conversation) : post(question.path, question.question)

const upstream = await program("upstream", isChat ? "chat" : "rerank")
const taken = new Map<string, Array<{ readonly cpuMicros: number; readonly perSecond: number }>>(
  roots.map((root) => [root, []])
)
for (let turn = 0; turn < processes; turn++) {
  const started = []
  for (const root of turn % 2 === 0 ? roots : roots.toReversed()) {
    const file = resolve(root, "tooling/bench/src/programs/tollgate.ts")
    const at = await program(file, `http://127.0.0.1:${upstream.port}`, "billing")
    for (let sent = 0; sent < warmUp;) sent += (await load(at.port, 32, 2_000, request)).answered
    started.push({ root, at, cpuMicros: [] as Array<number>, perSecond: [] as Array<number> })
  }
  for (let round = 0; round < rounds; round++) {
    for (const contestant of round % 2 === 0 ? started : started.toReversed()) {
      const before = await contestant.at.cpuMicros()
      const measured = await load(contestant.at.port, 32, seconds * 1000, request)
      contestant.cpuMicros.push(((await contestant.at.cpuMicros()) - before) / measured.answered)
      contestant.perSecond.push(measured.perSecond)
    }
  }
  for (const { root, at, cpuMicros, perSecond } of started) {
    at.stop()
    taken.get(root)?.push({ cpuMicros: median(cpuMicros), perSecond: median(perSecond) })
  }
}
upstream.stop()

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length
console.table(
  roots.map((root) => {
    const runs = taken.get(root) ?? []
    return {
      checkout: root,
      cpuMicros: Number(mean(runs.map((run) => run.cpuMicros)).toFixed(1)),
      perSecond: Math.round(mean(runs.map((run) => run.perSecond))),
      processes: runs.map((run) => Math.round(run.cpuMicros)).join(" ")
    }
  })
)
