import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { runBursts } from "./burst.ts"
import { median } from "./middle.ts"
import { program } from "./program.ts"
import { runStarts } from "./start.ts"

// CPU time of importing the client, and of a call in its process, compared with plain `fetch` and `openai`; then bursts of
// calls on new keys. With `--start` only the imports.
const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    calls: { type: "string" },
    "warm-up": { type: "string" },
    start: { type: "boolean" }
  }
})
await runStarts(Number(values.rounds ?? 20))
if (values.start === true) process.exit()

const rounds = Number(values.rounds ?? 9)
const calls = Number(values.calls ?? 4_000)
const warmUp = Number(values["warm-up"] ?? 20_000)

const upstream = await program("upstream", "chat")

/** Starts a client in its own process. `measure` makes it call and returns the CPU time per call. */
const start = (client: string) => {
  const file = fileURLToPath(new URL("./programs/client.ts", import.meta.url))
  const child = fork(file, [client, `http://127.0.0.1:${upstream.port}`], {
    env: { ...process.env, NODE_ENV: "production" }
  })
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`${client} ended with ${code}`)))
  ended.catch(() => {})
  return {
    measure: async (calls: number, concurrent: number): Promise<number> => {
      child.send({ calls, concurrent })
      const [reply] = (await Promise.race([once(child, "message"), ended])) as [{ cpuMicros?: number; error?: string }]
      if (reply.cpuMicros === undefined) throw new Error(`${client}: ${reply.error}`)
      return reply.cpuMicros
    },
    stop: () => child.disconnect()
  }
}

const contestants = [
  { name: "fetch", ...start("fetch") },
  { name: "tollgate over undici (@tollgate/node)", ...start("undici") },
  { name: "tollgate over fetch", ...start("fetchCarrier") },
  { name: "openai", ...start("openai") }
]

for (const concurrent of [1, 16]) {
  for (const { measure } of contestants) await measure(warmUp, concurrent)
  const taken: ReadonlyArray<Array<number>> = contestants.map(() => [])
  for (let round = 0; round < rounds; round++) {
    // Alternating order, so that no client always runs after the same one.
    const order = contestants.map((_, i) => (round % 2 === 0 ? i : contestants.length - 1 - i))
    for (const i of order) taken[i]!.push(await contestants[i]!.measure(calls, concurrent))
  }
  const first = taken[0]!
  console.log(`chat completions, ${concurrent} at a time, medians of ${rounds} rounds of ${calls} calls`)
  console.table(
    contestants.map(({ name }, i) => ({
      name,
      "CPU µs per call": Math.round(median(taken[i]!)),
      "to fetch": Number(median(taken[i]!.map((micros, round) => micros / first[round]!)).toFixed(2))
    }))
  )
}
console.log("target: at most 1.5 times fetch, and at most openai")
for (const { stop } of contestants) stop()

const sse = await program("sse", "20", "10")
const own = (port: number) => `http://127.0.0.1:${port}`
const reranks = await program("upstream")
const gateway = await program("tollgate", own(reranks.port), "billing", own(upstream.port))
const streaming = await program("tollgate", own(reranks.port), "billing", own(sse.port))
await runBursts({ rerank: own(gateway.port), chat: own(gateway.port), stream: own(streaming.port) })
for (const { stop } of [gateway, streaming, sse, reranks, upstream]) stop()
