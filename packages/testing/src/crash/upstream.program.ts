import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Billed } from "./process.ts"

// An upstream that outlives the gateway. It reports less or more than was reserved, and sends its record on request.
const reports = [200, 900, 2_000, 5_000]
const billed: Array<Billed> = []

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    const tokens = reports[billed.length % reports.length] ?? 0
    billed.push({ requestId: String(request.headers["x-request-id"]), tokens })
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ model: "m", results: [], usage: { total_tokens: tokens } }))
  })
})

server.listen(0, "127.0.0.1", () => {
  process.on("message", () => process.send?.({ entries: billed }))
  process.send?.({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.on("disconnect", () => process.exit(0))
