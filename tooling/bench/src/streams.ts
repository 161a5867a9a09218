import { connect, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"
import { median } from "./middle.ts"
import { path, streamed, streamedAtOnce } from "./conversation.ts"
import { post } from "./load.ts"
import { type Program, program } from "./program.ts"

// Time to first byte with two hundred concurrent streams, and memory of a thousand idle streams.
const concurrent = 200
const millis = Number(process.env.BENCH_SECONDS ?? 6) * 1000
/** Streams start spread over this time. Only those that start later, while all others run, are measured. */
const rampUpMillis = 2_000
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const warmUp = Number(process.env.BENCH_WARM_UP ?? 20_000)
const request = post(path, streamed)
const brief = post(path, streamedAtOnce)

/** Reads one stream after another until `isOver`. Calls `took` with the time to the first byte of each body. */
const reader = (port: number, request: Buffer, isOver: () => boolean, took: (millis: number) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    let text = ""
    let sent = 0
    let seen = false
    const ask = () => {
      if (isOver()) return void (socket.destroy(), resolve())
      text = ""
      seen = false
      sent = performance.now()
      socket.write(request)
    }
    socket.on("connect", ask).on("error", reject)
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      if (!seen && text.includes("data: ")) {
        seen = true
        took(performance.now() - sent)
      }
      if (text.endsWith("0\r\n\r\n")) ask()
    })
  })

const firstBytes = async ({ port }: Program): Promise<number> => {
  const first: Array<number> = []
  const all = performance.now() + rampUpMillis + 200
  const took = (millis: number): void => {
    if (performance.now() > all) first.push(millis)
  }
  const readers = Array.from({ length: concurrent }, async (_, i) => {
    await setTimeout((i * rampUpMillis) / concurrent)
    await reader(port, request, () => performance.now() >= all + millis, took)
  })
  await Promise.all(readers)
  return median(first)
}

/** Many short streams before the first measurement, so that the code is optimized. */
const warm = async ({ port }: Program): Promise<void> => {
  let left = warmUp
  await Promise.all(
    Array.from({ length: 8 }, () =>
      reader(
        port,
        brief,
        () => --left < 0,
        () => {}
      )
    )
  )
}

const silent = async ({ memoryBytes, port }: Program): Promise<number> => {
  const before = await memoryBytes()
  const sockets: Array<Socket> = []
  for (let i = 0; i < 1_000; i++) {
    await new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(request))
      socket.on("error", reject).once("data", () => resolve())
      sockets.push(socket)
    })
  }
  await setTimeout(1_000)
  const after = await memoryBytes()
  for (const socket of sockets) socket.destroy()
  return (after - before) / 1_000_000
}

const busy = await program("sse", "100", "20")
const quiet = await program("sse", "0", "0")
const at = ({ port }: Program) => `http://127.0.0.1:${port}`

const rows: Array<Record<string, string | number>> = []
const contestants = [
  { name: "bare node:http + undici", program: "bareStream", args: [] },
  { name: "tollgate, billing on", program: "tollgate", args: ["billing"] }
]
const running = await Promise.all(
  contestants.map(async ({ args, name, program: file }) => ({ name, at: await program(file, at(busy), ...args) }))
)
for (const { at } of running) await warm(at)
for (const { at } of running) await firstBytes(at)
const taken = new Map<string, Array<number>>(running.map(({ name }) => [name, []]))
for (let round = 0; round < rounds; round++)
  for (const { at, name } of running) taken.get(name)?.push(await firstBytes(at))
for (const { at } of running) at.stop()
for (const { args, name, program: file } of contestants) {
  const on = await program(file, at(quiet), ...args)
  rows.push({
    name,
    [`first byte p50, ms, ${concurrent} streams`]: Number(median(taken.get(name) ?? []).toFixed(2)),
    "1,000 silent streams, MB": Math.round(await silent(on))
  })
  on.stop()
}
console.log(`streamed chat completions, medians of ${rounds} rounds`)
console.table(rows)
busy.stop()
quiet.stop()
