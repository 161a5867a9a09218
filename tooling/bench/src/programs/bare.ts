import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Agent, request } from "undici"
import { ready } from "./ready.ts"

// The minimal JSON proxy: reads the body, checks that it parses, forwards it and returns the response.
const upstream = process.argv[2] ?? ""
const dispatcher = new Agent({ connections: 128, pipelining: 1 })

const server = createServer((req, res) => {
  const chunks: Array<Buffer> = []
  req.on("data", (chunk: Buffer) => chunks.push(chunk))
  req.on("end", async () => {
    const body = Buffer.concat(chunks)
    try {
      JSON.parse(body.toString())
    } catch {
      res.writeHead(400).end()
      return
    }
    const answer = await request(`${upstream}${req.url}`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
      dispatcher
    })
    const bytes = Buffer.from(await answer.body.arrayBuffer())
    res
      .writeHead(answer.statusCode, {
        "content-type": String(answer.headers["content-type"]),
        "content-length": bytes.length
      })
      .end(bytes)
  })
})

server.listen(0, "127.0.0.1", () => ready((server.address() as AddressInfo).port))
