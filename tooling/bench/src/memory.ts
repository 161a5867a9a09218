import { load, post } from "./load.ts"
import { program } from "./program.ts"
import { path, question } from "./question.ts"

// Memory over many requests, with billing on. It should stay flat.
const total = Number(process.env.BENCH_REQUESTS ?? 500_000)
const upstream = await program("upstream")
const gateway = await program("tollgate", `http://127.0.0.1:${upstream.port}`, "billing")
const request = post(path, question)

const rows: Array<{ requests: number; "resident, MB": number }> = []
let sent = 0
for (let next = 0; sent < total; next += total / 10) {
  while (sent < next) sent += (await load(gateway.port, 32, 2_000, request)).answered
  rows.push({ requests: sent, "resident, MB": Math.round((await gateway.memoryBytes()) / 1_000_000) })
}
console.log("memory after garbage collection, billing on")
console.table(rows)
gateway.stop()
upstream.stop()
