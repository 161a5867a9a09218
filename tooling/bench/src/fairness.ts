import { connect } from "node:net"
import { attackers, head, manyNames, photo } from "./attack.ts"
import { load, post } from "./load.ts"
import { program } from "./program.ts"
import { path, question } from "./question.ts"

// What one caller notices of another who sends large bodies at 60 a minute. About 20 seconds.
const millis = Number(process.env.BENCH_MILLIS ?? 4_500)
const perMinute = 60

// The attacker has an upstream of its own, so that only the gateway is shared.
const upstream = await program("upstream")
const chatUpstream = await program("upstream", "chat")
const at = ({ port }: { readonly port: number }) => `http://127.0.0.1:${port}`
const gateway = await program("tollgate", at(upstream), "billing", at(chatUpstream))
const request = post(path, question)

/** Sends the body once on its own connection. Resolves with the status. */
const send = (bytes: ReadonlyArray<Buffer>): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({ port: gateway.port, host: "127.0.0.1", noDelay: true })
    const done = (status: string) => {
      socket.destroy()
      resolve(status)
    }
    socket.once("data", (chunk) => done(chunk.toString("latin1", 9, 12)))
    socket.once("error", () => done("broken")).once("close", () => done("closed"))
    for (const part of bytes) socket.write(part)
  })

const phases = [
  { phase: "alone", key: undefined, body: Buffer.alloc(0) },
  { phase: "1.85 million names, key without money", key: attackers.poor, body: manyNames() },
  { phase: "1.85 million names, key with money", key: attackers.rich, body: manyNames() },
  { phase: "photos of 12 MiB, key with money", key: attackers.rich, body: photo() }
]

await load(gateway.port, 4, 1_000, request)
const rows: Array<Record<string, unknown>> = []
for (const { body, key, phase } of phases) {
  const statuses: Array<Promise<string>> = []
  const attack = () => void (key !== undefined && statuses.push(send([head(key, body.length), body])))
  const timer = setInterval(attack, 60_000 / perMinute)
  attack()
  const { answered, failed, p50, p99 } = await load(gateway.port, 4, millis, request, 20)
  clearInterval(timer)
  const answers = [...new Set(await Promise.all(statuses))].join(", ")
  rows.push({ phase, "p50, ms": p50.toFixed(1), "p99, ms": p99.toFixed(1), answered, failed, "attacker got": answers })
}
console.log(`another caller's latency while one key sends ${perMinute} large bodies a minute`)
console.table(rows)
gateway.stop()
upstream.stop()
chatUpstream.stop()
