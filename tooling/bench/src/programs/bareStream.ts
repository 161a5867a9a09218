import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Agent, request } from "undici"
import { ready } from "./ready.ts"

// The minimal streaming proxy: reads the body, checks that it parses, forwards it and pipes the response.
const upstream = process.argv[2] ?? ""
const dispatcher = new Agent({ connections: 4_096, pipelining: 1, bodyTimeout: 0 })

const server = createServer({ noDelay: true }, (req, res) => {
  const chunks: Array<Buffer> = []
  req.on("data", (chunk: Buffer) => chunks.push(chunk))
  req.on("end", async () => {
    const body = Buffer.concat(chunks)
    JSON.parse(body.toString())
    const headers = { "content-type": "application/json" }
    const answer = await request(`${upstream}${req.url}`, { method: "POST", body, headers, dispatcher })
    res.writeHead(answer.statusCode, { "content-type": String(answer.headers["content-type"]) })
    answer.body.pipe(res)
    res.on("close", () => answer.body.destroy())
    answer.body.on("error", () => {})
  })
})

server.listen(0, "127.0.0.1", () => ready((server.address() as AddressInfo).port))
