import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { usage } from "../conversation.ts"
import { ready } from "./ready.ts"

// Streams a chat completion: an event at once, then one every so many milliseconds, for ever where there are none to come.
const [gap = "100", count = "20"] = process.argv.slice(2)

const event = (data: object) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", ...data })}\n\n`
const piece = event({ choices: [{ index: 0, delta: { content: "a few words of it " }, finish_reason: null }] })
const last =
  event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  event({ choices: [], usage }) +
  "data: [DONE]\n\n"

const server = createServer((req, res) => {
  req.resume()
  req.on("end", () => {
    res.writeHead(200, { "content-type": "text/event-stream" })
    res.write(piece)
    let left = Number(count)
    if (left === 0) return
    const timer = setInterval(() => {
      if (--left > 0) res.write(piece)
      else {
        clearInterval(timer)
        res.end(last)
      }
    }, Number(gap))
    res.on("close", () => clearInterval(timer))
  })
})

server.listen(0, "127.0.0.1", () => ready((server.address() as AddressInfo).port))
