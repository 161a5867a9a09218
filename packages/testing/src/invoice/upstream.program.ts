import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { seeded } from "../fleet/seeded.ts"
import { answerOf, eventsOf, type Format, type Reported, reportedBy } from "./Reported.ts"

// An upstream that outlives the gateway. It reports random usage, and sends its record on request.
export interface Invoiced {
  readonly requestId: string
  /** Which call of the test it was, if that may be repeated. */
  readonly call: string | undefined
  readonly reported: Reported
}

const random = seeded(Number(process.argv[2]))
const record: Array<Invoiced> = []

const formatOf = (path: string): Format => {
  if (path.includes("/chat/")) return "chat"
  if (path.includes("/responses")) return "responses"
  return path.includes("/messages") ? "messages" : "gemini"
}

const server = createServer((request, response) => {
  let body = ""
  request.on("data", (chunk) => (body += String(chunk)))
  request.on("end", () => {
    const path = request.url ?? ""
    const format = formatOf(path)
    const reported = reportedBy(random, format)
    const call = /call-\d+-\d+/.exec(body)?.[0]
    record.push({ requestId: String(request.headers["x-request-id"]), call, reported })
    if (!path.includes("streamGenerate") && !body.includes('"stream":true')) {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify(answerOf(format, reported)))
      return
    }
    response.setHeader("content-type", "text/event-stream")
    const events = [...eventsOf(format, reported)]
    const next = () => {
      const event = events.shift()
      if (event === undefined) {
        response.end()
        return
      }
      response.write(event)
      setTimeout(next, random() < 0.3 ? 3 : 0)
    }
    next()
  })
})

server.listen(0, "127.0.0.1", () => {
  process.on("message", () => process.send?.({ entries: record }))
  process.send?.({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.on("disconnect", () => process.exit(0))
