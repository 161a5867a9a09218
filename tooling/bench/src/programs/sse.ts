import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { usage } from "../conversation.ts"
import { ready } from "./ready.ts"

// Streams a chat completion: one event at once, then one per `gap` milliseconds. With a `count` of 0 the stream stays silent
// and open. A request for a single token gets everything at once.
const [gap = "100", count = "20"] = process.argv.slice(2)

const event = (data: object) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", ...data })}\n\n`
const piece = event({ choices: [{ index: 0, delta: { content: "a few words of it " }, finish_reason: null }] })
const last =
  event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  event({ choices: [], usage }) +
  "data: [DONE]\n\n"

/** 0.5 to 1.5 times the gap, from a fixed seed, so that the streams are not in step. */
const pause = (): number => Number(gap) * (0.5 + random())
let state = 1
const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647

const server = createServer((req, res) => {
  let asked = ""
  req.on("data", (chunk: Buffer) => (asked += chunk.toString()))
  req.on("end", () => {
    res.writeHead(200, { "content-type": "text/event-stream" })
    res.write(piece)
    if (asked.includes('"max_tokens":1,')) return void res.end(last)
    let left = Number(count)
    if (left === 0) return
    const next = (): void => {
      if (--left === 0) return void res.end(last)
      res.write(piece)
      timer = setTimeout(next, pause())
    }
    let timer = setTimeout(next, pause())
    res.on("close", () => clearTimeout(timer))
  })
})

server.listen(0, "127.0.0.1", () => ready((server.address() as AddressInfo).port))
