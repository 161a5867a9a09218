import { appendFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { pause } from "./seeded.ts"
import type { Execution } from "./executions.ts"

// An upstream that outlives every gateway. What it executes it first appends to its own log. How it behaves is in the text
// of the request: `intent-7 tokens=120 wait=30 end=fail`.
const [file = ""] = process.argv.slice(2)

interface Task {
  readonly endsAt: number
  readonly fails: boolean
}

const tasks = new Map<string, Task>()
const failed = new Set<string>()
const taskPrice = 50_000
const callPrice = 10_000

const log = (execution: Execution) => appendFileSync(file, `${JSON.stringify(execution)}\n`)

const answer = (response: ServerResponse, body: object, status = 200) => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

const usageOf = (tokens: number) => ({ prompt_tokens: 10, completion_tokens: tokens - 10, total_tokens: tokens })

const stream = async (response: ServerResponse, intent: string, tokens: number, wait: number) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  const send = (event: object | string) => response.write(`data: ${JSON.stringify(event)}\n\n`)
  const chunk = (delta: object, finish_reason: string | null) => ({
    id: intent,
    object: "chat.completion.chunk",
    model: "m",
    choices: [{ index: 0, delta, finish_reason }]
  })
  for (let sent = 0; sent < 4; sent++) {
    send(chunk({ role: "assistant", content: `${intent} ` }, null))
    await pause(wait / 4)
  }
  send(chunk({}, "stop"))
  send({ ...chunk({}, null), choices: [], usage: usageOf(tokens) })
  response.end("data: [DONE]\n\n")
}

const statusOf = ({ endsAt, fails }: Task) => (Date.now() < endsAt ? "RUNNING" : fails ? "FAILED" : "SUCCEEDED")

const poll = (response: ServerResponse, id: string) => {
  const task = tasks.get(id)
  const task_status = task === undefined ? "UNKNOWN" : statusOf(task)
  const video = task_status === "SUCCEEDED" ? { video_url: `https://videos.invalid/${id}` } : {}
  answer(response, { output: { task_id: id, task_status, ...video }, request_id: "theirs" })
}

const execute = async (path: string, requestId: string, body: string, response: ServerResponse) => {
  const word = (name: string) => new RegExp(`${name}=(\\w+)`).exec(body)?.[1]
  const intent = /intent-\d+/.exec(body)?.[0] ?? ""
  const tokens = Number(word("tokens") ?? 100)
  const wait = Number(word("wait") ?? 0)
  const end = word("end")
  if (end === "error" && !failed.has(intent)) {
    failed.add(intent)
    await pause(wait)
    return answer(response, { error: { message: "try again" } }, 500)
  }
  const isTask = path.includes("video-synthesis")
  const isChat = path.includes("chat")
  const fails = isTask && end === "fail"
  const micros = isTask ? taskPrice : path.includes("echo") ? callPrice : tokens
  const isStream = isChat && body.includes('"stream":true')
  log({ intent, requestId, kind: isTask ? "task" : isStream ? "stream" : "whole", micros: fails ? 0 : micros })
  if (isStream) return stream(response, intent, tokens, wait)
  await pause(isTask ? 0 : wait)
  if (isTask) {
    tasks.set(requestId, { endsAt: Date.now() + wait, fails })
    return answer(response, { output: { task_id: requestId, task_status: "PENDING" }, request_id: "theirs" })
  }
  if (!isChat) return answer(response, { model: "m", intent, results: [], usage: { total_tokens: tokens } })
  const choices = [{ index: 0, message: { role: "assistant", content: intent }, finish_reason: "stop" }]
  return answer(response, {
    id: "c",
    object: "chat.completion",
    created: 0,
    model: "m",
    choices,
    usage: usageOf(tokens)
  })
}

const server = createServer((request, response) => {
  const path = request.url ?? ""
  let body = ""
  response.on("error", () => {})
  request
    .setEncoding("utf8")
    .on("error", () => {})
    .on("data", (text: string) => (body += text))
    .on("end", () => {
      if (request.method === "GET") return poll(response, decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)))
      void execute(path, String(request.headers["x-request-id"]), body, response)
    })
})

server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => {
  process.send?.({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.on("disconnect", () => process.exit(0))
