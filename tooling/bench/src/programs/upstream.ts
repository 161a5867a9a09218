import { type AddressInfo, createServer } from "node:net"
import { answer as rerank } from "../question.ts"
import { answer as chat } from "../conversation.ts"
import { ready } from "./ready.ts"

const answer = process.argv[2] === "chat" ? chat : rerank

// Parses as little as possible, so that the bench measures the gateway and not the upstream.
const bytes = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`
)

const largeBytes = 64 * 1024

const server = createServer({ noDelay: true }, (socket) => {
  let pending = ""
  /** The rest of a large body, which is not kept. */
  let skip = 0
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk) => {
    const skipped = Math.min(skip, chunk.length)
    skip -= skipped
    if (skipped > 0 && skip === 0) socket.write(bytes)
    pending += chunk.toString("latin1", skipped)
    for (;;) {
      const end = pending.indexOf("\r\n\r\n")
      if (end === -1) return
      const length = /content-length: *(\d+)/i.exec(pending.slice(0, end))?.[1] ?? "0"
      const size = end + 4 + Number(length)
      if (pending.length < size) {
        if (size < largeBytes) return
        skip = size - pending.length
        pending = ""
        return
      }
      pending = pending.slice(size)
      socket.write(bytes)
    }
  })
})

server.listen(0, "127.0.0.1", () => ready((server.address() as AddressInfo).port))
