import { chunkings, codings, lengths } from "@tollgate/testing/hardening/framings"
import { oversized, repeated, values } from "@tollgate/testing/hardening/heads"
import { addresses, lines } from "@tollgate/testing/hardening/lines"
import { connect, type Socket } from "node:net"
import { afterAll, expect, it } from "vitest"
import { addressIn, folder, removeFolders } from "./program.ts"
import { programs } from "./programs.ts"

const run = programs()
afterAll(removeFolders)

const open = (address: string): Socket =>
  connect({ port: Number(new URL(address).port), host: "127.0.0.1", noDelay: true }).on("error", () => {})

/** `node:http` reads it: a name is there twice. */
const doubled = "GET /v1/models HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nX-A: 2\r\n\r\n"
const head = "GET /docs HTTP/1.1\r\nHost: a\r\n\r\n"
const tunnel = "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"
const corpora = [addresses, chunkings, codings, lengths, lines, oversized, repeated, values]
/** The gateway does not know the key that is in them. */
const hostile = corpora
  .flatMap((corpus) => Object.values(corpus))
  .flatMap(({ send }) => (send.length < 20_000 ? [send, doubled.repeat(5) + send] : []))

/** Sends the bytes, and resets the connection at once or when the first answer begins. */
const sentAndReset = (address: string, text: string, isAnswered: boolean) =>
  new Promise<void>((resolve) => {
    const socket = open(address).once("close", () => resolve())
    if (isAnswered) socket.once("data", () => socket.resetAndDestroy()).write(text, "latin1")
    else socket.write(text, "latin1", () => socket.resetAndDestroy())
  })

/** More than any system keeps for a connection. */
const most = 256_000_000

/** What the server takes of these bytes from somebody who never reads an answer, while it answers others. */
const takenUnread = async (address: string, bytes: Buffer): Promise<number> => {
  const socket = open(address).pause()
  let taken = 0
  const send = () => {
    if (taken < most) socket.write(bytes, () => ((taken += bytes.length), send()))
  }
  // Its long answers fill what the system keeps for the connection.
  socket.write(head.repeat(400), send)
  for (let before = -1, still = 0; still < 20 && taken < most; before = taken) {
    expect((await fetch(`${address}/healthz`)).status).toBe(200)
    still = taken === before ? still + 1 : 0
  }
  socket.destroy()
  return taken
}

const post = `POST /v1/rerank HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n${"x".repeat(1_000)}`

it.each(["own", "node"])("somebody without a key cannot end the process, with the reader %s", async (reader) => {
  const program = run({
    TOLLGATE_DATA: folder(),
    TOLLGATE_HTTP_READER: reader,
    TOLLGATE_METRICS_PORT: "0",
    NODE_OPTIONS: "--max-old-space-size=128"
  })
  const banner = await program.started
  const address = addressIn(banner)
  const metrics = /metrics {2}(http:\S+)/.exec(banner)?.[1] ?? ""

  for (const text of [head.repeat(2_000), post.repeat(50)]) {
    expect(await takenUnread(address, Buffer.from(text))).toBeLessThan(most)
  }

  const attacks = Array.from({ length: 40 }, () => doubled.repeat(30) + tunnel).concat(hostile)
  for (const at of [address, metrics]) {
    for (const isAnswered of [true, false]) {
      const left = attacks.values()
      const attack = async () => {
        for (const text of left) await sentAndReset(at, text, isAnswered)
      }
      await Promise.all(Array.from({ length: 10 }, attack))
      expect((await fetch(at === address ? `${address}/healthz` : metrics)).status).toBe(200)
    }
  }
  const ended = await program.stop()
  expect([ended.code, ended.stderr]).toEqual([0, ""])
})
