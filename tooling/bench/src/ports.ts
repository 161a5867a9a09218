import { freePort } from "@tollgate-tooling/programs/server.ts"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { median } from "./middle.ts"

// Why the gateway hands connections to its workers instead of letting each listen with `reusePort`: what both ways cost, and
// what they lose. Between two bare workers, so that nothing else is measured.
const { values } = parseArgs({
  options: { rounds: { type: "string" }, seconds: { type: "string" }, replacements: { type: "string" } }
})
const rounds = Number(values.rounds ?? 7)
const millis = Number(values.seconds ?? 2) * 1_000
const replacements = Number(values.replacements ?? 10)
const connections = 32
const stallMillis = 1_000

interface Ports {
  readonly mode: "handed" | "reusePort"
  readonly port: number
  readonly child: ChildProcess
}

const start = async (mode: Ports["mode"]): Promise<Ports> => {
  const port = await freePort()
  const child = fork(join(import.meta.dirname, "programs/ports.ts"), [mode, String(port), String(stallMillis)])
  await once(child, "message")
  return { mode, port, child }
}

const tell = async ({ child }: Ports, what: "replace" | "stall"): Promise<void> => {
  child.send(what)
  await once(child, "message")
}

/** The process that answered on a new connection. Undefined if the connection was lost. */
const ask = (port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    let text = ""
    const socket = connect({ port, host: "127.0.0.1" }, () => void socket.write("?"))
    socket.on("data", (part) => (text += part.toString()))
    socket.on("error", () => {})
    socket.on("close", () => resolve(text === "" ? undefined : text))
  })

/** Asks on one new connection after the other, several at a time, until `ends`. Returns how many were answered, and lost. */
const askUntil = async (port: number, ends: () => boolean) => {
  let answered = 0
  let lost = 0
  const asking = async () => {
    while (!ends()) {
      if ((await ask(port)) === undefined) lost++
      else answered++
    }
  }
  await Promise.all(Array.from({ length: connections }, asking))
  return { answered, lost }
}

const perSecond = async ({ port }: Ports): Promise<number> => {
  const begun = performance.now()
  const { answered } = await askUntil(port, () => performance.now() >= begun + millis)
  return (answered * 1_000) / (performance.now() - begun)
}

/** How many of the connections the busier worker gets. */
const busier = async ({ port }: Ports): Promise<number> => {
  const by = Map.groupBy(await Promise.all(Array.from({ length: connections }, () => ask(port))), (pid) => pid)
  return Math.max(...[...by.values()].map((asked) => asked.length))
}

/** How many connections wait for a worker that is busy with something else, while the other is idle. */
const waiting = async (ports: Ports): Promise<number> => {
  await tell(ports, "stall")
  await new Promise((resolve) => setTimeout(resolve, 100))
  const begun = performance.now()
  const took = await Promise.all(
    Array.from({ length: connections }, () => ask(ports.port).then(() => performance.now() - begun))
  )
  return took.filter((millis) => millis > stallMillis / 2).length
}

/** How many connections are lost while the workers are replaced. */
const replaceAll = async (ports: Ports) => {
  let isReplaced = false
  const asked = askUntil(ports.port, () => isReplaced)
  for (let i = 0; i < replacements; i++) await tell(ports, "replace")
  isReplaced = true
  return asked
}

interface Measured {
  readonly perSecond: number
  readonly busier: number
  readonly waiting: number
}

const measure = async (ports: Ports): Promise<Measured> => ({
  perSecond: await perSecond(ports),
  busier: await busier(ports),
  waiting: await waiting(ports)
})

const handed = await start("handed")
const reused = await start("reusePort")
const taken = new Map<Ports, Array<Measured>>([
  [handed, []],
  [reused, []]
])
for (let round = 0; round < rounds; round++) {
  for (const ports of round % 2 === 0 ? [handed, reused] : [reused, handed]) {
    taken.get(ports)?.push(await measure(ports))
  }
}
const rows = []
for (const [ports, runs] of taken) {
  const of = (what: keyof Measured) => Math.round(median(runs.map((run) => run[what])))
  const { answered, lost } = await replaceAll(ports)
  rows.push({
    connections: ports.mode,
    "a second": of("perSecond"),
    "at the busier worker": of("busier"),
    "waiting for a stalled worker": of("waiting"),
    "lost by replacements": `${lost} of ${answered + lost}`
  })
}
console.log(
  `two workers, ${connections} connections at a time, medians of ${rounds} alternating rounds,` +
    ` ${replacements} replacements, load ${loadavg()[0]!.toFixed(1)}`
)
console.table(rows)
for (const { child } of [handed, reused]) child.disconnect()
