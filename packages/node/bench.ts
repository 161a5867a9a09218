import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { HttpServer, HttpServerRequest, HttpServerResponse, HttpClient, HttpClientRequest } from "effect/http"
import { NodeHttpServer, NodeHttpClient } from "./src/index.ts"
import { createServer } from "node:http"
import { request, Agent } from "undici"
const mode = process.argv[2]
const up = createServer((q, s) => { q.resume(); q.on("end", () => { s.writeHead(200, { "content-type": "application/json", "content-length": "11" }); s.end('{"ok":true}') }) })
if (mode === "up") up.listen(4400, "127.0.0.1")
const agent = new Agent({ connections: 256, pipelining: 1 })
if (mode === "bare") createServer((q, s) => {
  const c: Array<Buffer> = []
  q.on("data", (d) => c.push(d)); q.on("end", async () => {
    const b = Buffer.concat(c)
    const r = await request("http://127.0.0.1:4400/x", { method: "POST", body: b, dispatcher: agent })
    const out = Buffer.from(await r.body.arrayBuffer())
    s.writeHead(r.statusCode, { "content-type": "application/json", "content-length": out.length }); s.end(out)
  })
}).listen(4401, "127.0.0.1")
const hello = Effect.succeed(HttpServerResponse.text("hello"))
if (mode === "hello-bare") createServer((q, s) => { s.writeHead(200, { "content-type": "text/plain", "content-length": "5" }); s.end("hello") }).listen(4401, "127.0.0.1")
if (mode === "hello") Effect.runFork(Layer.launch(HttpServer.serve(hello).pipe(Layer.provide(NodeHttpServer.layer({ port: 4401 })))))
if (mode === "proxy") {
  const app = Effect.gen(function*() {
    const req = yield* HttpServerRequest.HttpServerRequest
    const client = yield* HttpClient.HttpClient
    const body = new Uint8Array(yield* req.arrayBuffer)
    const res = yield* client.execute(HttpClientRequest.post("http://127.0.0.1:4400/x").pipe(HttpClientRequest.bodyUint8Array(body, "application/json")))
    const out = new Uint8Array(yield* res.arrayBuffer)
    return HttpServerResponse.uint8Array(out, { status: res.status, contentType: "application/json" })
  })
  Effect.runFork(Layer.launch(HttpServer.serve(app).pipe(Layer.provide([NodeHttpServer.layer({ port: 4401 }), NodeHttpClient.layer()]))))
}
process.on("SIGUSR2", () => { const c = process.cpuUsage(); console.log(mode, "cpu", (c.user + c.system) / 1e6) })
if (mode === "load") {
  const { Client } = await import("undici")
  const method = process.argv[3] as "GET" | "POST"
  const body = method === "POST" ? Buffer.alloc(500, "x") : null
  let n = 0, stop = false
  const t0 = Date.now()
  const N = Number(process.argv[4] ?? 20000)
  await Promise.all(Array.from({ length: 32 }, async () => {
    const c = new Client("http://127.0.0.1:4401")
    while (n < N) { const r = await c.request({ path: "/x", method, body, headers: { "content-type": "application/json", authorization: "Bearer abc", accept: "*/*", "user-agent": "bench" } }); await r.body.dump(); n++ }
    c.destroy()
  }))
  console.log(Math.round(n / (Date.now() - t0) * 1000), "req/s")
}
