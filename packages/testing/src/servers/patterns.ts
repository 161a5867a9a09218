import {
  chatCompletionsStream,
  type Client,
  createClient as overFetch,
  toReadableStream,
  toResponse,
  withBudget
} from "@tollgate/client"
import { budget } from "@tollgate/client/budget"
import { cancelStream, resumable } from "@tollgate/client/resumable"
import { NodeClient } from "@tollgate/node/effect"
import { NodeHttpServer } from "@tollgate/server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { EventEmitter, once } from "node:events"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { createRequire } from "node:module"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { text } from "node:stream/consumers"
import { Agent } from "undici"
import {
  askOver,
  type Asked,
  input,
  listen,
  type Pattern,
  type Started,
  statusOf,
  type Told,
  userBudget,
  usersOf
} from "./Pattern.ts"

// How servers call the gateway for their users, each as its framework's documentation would write it.

/** The frameworks are those that other packages of the tests install. */
const installedBy = (name: string) => createRequire(createRequire(import.meta.url).resolve(name))

const askedIn = async (message: IncomingMessage): Promise<Asked> => JSON.parse(await text(message)) as Asked
const fail = (res: ServerResponse, error: unknown): void => {
  if (res.headersSent) res.destroy()
  else res.writeHead(statusOf(error)).end(String(error))
}

/** Closed by its reader, whoever that is. */
const closing = (res: ServerResponse): AbortSignal => {
  const controller = new AbortController()
  res.on("close", () => controller.abort())
  return controller.signal
}

const nodeHttp: Pattern = async (client) => {
  const { budgetOf, of } = usersOf(client)
  const { address, stop } = await listen(async (req, res) => {
    const signal = closing(res)
    try {
      const asked = await askedIn(req)
      const stream = of(asked.user).chatCompletionsStream(input, { scenario: asked.scenario, signal })
      await stream.response()
      res.writeHead(200, { "content-type": "text/event-stream" })
      for await (const event of stream) {
        if (!res.write(`data: ${JSON.stringify(event)}\n\n`)) await once(res, "drain", { signal })
      }
      res.end()
    } catch (error) {
      fail(res, error)
    }
  })
  return { ask: askOver(address), budgetOf, stop }
}

interface ExpressApp extends RequestListener {
  readonly post: (
    path: string,
    handle: (
      req: IncomingMessage & { readonly body: Asked },
      res: ServerResponse,
      next: (error: unknown) => void
    ) => void
  ) => void
  readonly use: (...handlers: ReadonlyArray<unknown>) => void
}

const express: Pattern = async (client) => {
  const { budgetOf, of } = usersOf(client)
  const make = installedBy("@modelcontextprotocol/sdk/server/mcp.js")("express") as {
    (): ExpressApp
    json: () => unknown
  }
  const app = make()
  app.use(make.json())
  app.post("/", async (req, res, next) => {
    try {
      const { scenario, user } = req.body
      const stream = of(user).chatCompletionsStream(input, { scenario, signal: closing(res) })
      const { body, headers } = (await toResponse(stream)) as Response
      res.writeHead(200, Object.fromEntries(headers))
      await pipeline(Readable.fromWeb(body as never), res)
    } catch (error) {
      next(error)
    }
  })
  app.use((error: unknown, _: IncomingMessage, res: ServerResponse, __: unknown) => fail(res, error))
  const { address, stop } = await listen(app)
  return { ask: askOver(address), budgetOf, stop }
}

type FetchHandler = (request: Request) => Response | Promise<Response>

/** Serves a function of requests, as Hono, Next and others do on Node. */
const serveFetch = (handle: FetchHandler) => {
  const { getRequestListener } = installedBy("@modelcontextprotocol/sdk/server/streamableHttp.js")(
    "@hono/node-server"
  ) as {
    readonly getRequestListener: (handle: FetchHandler) => RequestListener
  }
  return listen(getRequestListener(handle))
}

const refusal = (error: unknown) => new Response(String(error), { status: statusOf(error) })

const hono: Pattern = async (client) => {
  const { budgetOf, of } = usersOf(client)
  interface Context {
    readonly req: { readonly raw: Request; readonly json: () => Promise<Asked> }
  }
  const { Hono } = installedBy("@modelcontextprotocol/sdk/server/mcp.js")("hono") as {
    readonly Hono: new () => {
      readonly post: (path: string, handle: (c: Context) => Promise<Response>) => void
      readonly onError: (handle: (error: unknown) => Response) => void
      readonly fetch: FetchHandler
    }
  }
  const app = new Hono()
  app.post("/", async ({ req }) => {
    const asked = await req.json()
    const options = { scenario: asked.scenario, signal: req.raw.signal }
    return (await toResponse(of(asked.user).chatCompletionsStream(input, options))) as Response
  })
  app.onError(refusal)
  const { address, stop } = await serveFetch(app.fetch)
  return { ask: askOver(address), budgetOf, stop }
}

interface KoaContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  status: number
  type: string
  body: unknown
}

const koa: Pattern = async (client) => {
  const { budgetOf, of } = usersOf(client)
  interface App {
    silent: boolean
    readonly use: (handle: (ctx: KoaContext) => unknown) => void
    readonly callback: () => RequestListener
  }
  const { default: Koa } = (await import(installedBy("oidc-provider").resolve("koa"))) as {
    readonly default: new () => App
  }
  const app = new Koa()
  app.silent = true
  app.use(async (ctx) => {
    const asked = await askedIn(ctx.req)
    const signal = closing(ctx.res)
    const stream = of(asked.user).chatCompletionsStream(input, { scenario: asked.scenario, signal })
    try {
      await stream.response()
      ctx.type = "text/event-stream"
      ctx.body = Readable.fromWeb(toReadableStream(stream) as never)
    } catch (error) {
      ctx.status = statusOf(error)
      ctx.body = String(error)
    }
  })
  const { address, stop } = await listen(app.callback())
  return { ask: askOver(address), budgetOf, stop }
}

/** `app/api/chat/route.ts` */
const nextRoute: Pattern = async (client) => {
  const { budgetOf, of } = usersOf(client)
  const POST = async (request: Request): Promise<Response> => {
    const asked = (await request.json()) as Asked
    const forUser = of(asked.user)
    try {
      const options = { scenario: asked.scenario, signal: request.signal }
      return (await toResponse(forUser.chatCompletionsStream(input, options))) as Response
    } catch (error) {
      return refusal(error)
    }
  }
  const { address, stop } = await serveFetch(POST)
  return { ask: askOver(address), budgetOf, stop }
}

/** As the runtime of Workers does: whenever the connection closes, it cancels the body of the answer. */
const serveWorker = (handle: FetchHandler) =>
  listen(async (req, res) => {
    const request = new Request("http://worker.invalid/", { method: "POST", body: await text(req) })
    const { body, headers, status } = await handle(request)
    res.writeHead(status, Object.fromEntries(headers))
    if (res.destroyed) await body?.cancel()
    else if (body === null) res.end()
    else await pipeline(Readable.fromWeb(body as never), res).catch(() => undefined)
  })

/** A Worker over `fetch`, which learns of Stop only when the body of its answer is canceled. */
const worker: Pattern = async (_, options) => {
  // Its connections are its own, so that the test can close them.
  const dispatcher = new Agent()
  const send = (url: string, init: object) => fetch(url, { ...init, dispatcher } as never)
  const client = overFetch({ ...options, pace: false, fetch: send as never })
  const { budgetOf, of } = usersOf(client)
  const module = {
    fetch: async (request: Request): Promise<Response> => {
      const asked = (await request.json()) as Asked
      const stream = of(asked.user).chatCompletionsStream(input, { scenario: asked.scenario })
      return toResponse(stream).then((answer) => answer as Response, refusal)
    }
  }
  const { address, stop } = await serveWorker(module.fetch)
  return { ask: askOver(address), budgetOf, stop: () => Promise.all([stop(), client.close(), dispatcher.destroy()]) }
}

/** Streams that can be resumed, which a request of their own stops: closing the connection alone does not. */
const stopButton: Pattern = async (client) => {
  const { budgetOf, of } = usersOf(client)
  const running = new Map<string, () => Promise<unknown>>()
  const { address, stop } = await serveFetch(async (request) => {
    const asked = (await request.json()) as Asked & { readonly id: string }
    if (new URL(request.url).pathname === "/stop") {
      await running.get(asked.id)?.()
      return new Response()
    }
    const forUser = of(asked.user)
    const kept = resumable()
    const stream = forUser.chatCompletionsStream(input, { scenario: asked.scenario, resumable: kept })
    running.set(asked.id, async () => {
      await stream.cancel()
      await cancelStream(forUser.chatCompletionsStream, kept)
    })
    return toResponse(stream).then((answer) => answer as Response, refusal)
  })
  let last = 0
  const ask: Started["ask"] = async (asked, { onEvent, signal }) => {
    const id = String(last++)
    const stopped = async () => {
      const headers = { "content-type": "application/json" }
      await fetch(`${address}stop`, { method: "POST", headers, body: JSON.stringify({ ...asked, id }) })
    }
    let stopping: Promise<void> | undefined
    const onStop = () => (stopping = stopped())
    signal.addEventListener("abort", onStop, { once: true })
    const never = new AbortController().signal
    const told = await askOver(address)({ ...asked, id } as Asked, { onEvent, signal: never })
    signal.removeEventListener("abort", onStop)
    await stopping
    running.delete(id)
    return signal.aborted ? { status: "stopped" } : told
  }
  return { ask, budgetOf, stop }
}

interface Socket extends EventEmitter {
  readonly send: (text: string) => void
  readonly close: () => void
}

/** A connection for each question, over which the page also says Stop. */
const webSocket: Pattern = async (client) => {
  const { budgetOf, of } = usersOf(client)
  const { WebSocketServer } = installedBy("@google/genai")("ws") as {
    readonly WebSocketServer: new (options: object) => EventEmitter & { readonly close: () => void }
  }
  const { address, server, stop } = await listen((_, res) => void res.writeHead(426).end())
  const sockets = new WebSocketServer({ server })
  sockets.on("connection", (socket: Socket) => {
    const controller = new AbortController()
    socket.on("close", () => controller.abort())
    socket.on("message", async (bytes: Buffer) => {
      const said = JSON.parse(bytes.toString()) as Asked | "stop"
      if (said === "stop") return controller.abort()
      const options = { scenario: said.scenario, signal: controller.signal }
      try {
        for await (const event of of(said.user).chatCompletionsStream(input, options))
          socket.send(JSON.stringify(event))
        socket.send("200")
      } catch (error) {
        socket.send(String(statusOf(error)))
      }
    })
  })
  const ask: Started["ask"] = (asked, { onEvent, signal }) =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(address.replace("http", "ws"))
      const onStop = () => {
        if (socket.readyState === WebSocket.OPEN) socket.send('"stop"')
        else socket.close()
      }
      const end = (told: Told) => {
        signal.removeEventListener("abort", onStop)
        socket.close()
        resolve(signal.aborted ? { status: "stopped" } : told)
      }
      signal.addEventListener("abort", onStop, { once: true })
      socket.onopen = () => socket.send(JSON.stringify(asked))
      socket.onmessage = ({ data }) => (/^\d+$/.test(data) ? end({ status: Number(data) }) : onEvent())
      socket.onclose = () => end({ status: 500, text: "closed" })
      socket.onerror = () => (signal.aborted ? end({ status: 500 }) : reject(new Error("The socket broke")))
    })
  return {
    ask,
    budgetOf,
    stop: () => {
      sockets.close()
      return stop()
    }
  }
}

/** Jobs of a queue, so many at a time. Each has its user's budget, and can be canceled while it waits or runs. */
const queueWorker: Pattern = async (client) => {
  const { budgetOf, of } = usersOf(client)
  const jobs: Array<() => Promise<void>> = []
  const queue = new EventEmitter()
  const shutdown = new AbortController()
  const work = async () => {
    while (!shutdown.signal.aborted) {
      const job = jobs.shift()
      if (job === undefined) await once(queue, "job", { signal: shutdown.signal }).catch(() => undefined)
      else await job()
    }
  }
  queue.setMaxListeners(0)
  const workers = Array.from({ length: 16 }, work)
  const ask: Started["ask"] = (asked, { onEvent, signal }) =>
    new Promise((resolve) => {
      jobs.push(async () => {
        const either = AbortSignal.any([signal, shutdown.signal])
        try {
          const options = { scenario: asked.scenario, signal: either }
          for await (const _ of of(asked.user).chatCompletionsStream(input, options)) onEvent()
          resolve({ status: 200 })
        } catch (error) {
          resolve(signal.aborted ? { status: "stopped" } : { status: statusOf(error), text: String(error) })
        }
      })
      queue.emit("job")
    })
  const stop = () => {
    shutdown.abort()
    return Promise.all(workers)
  }
  return { ask, budgetOf, stop }
}

/** Effect's own server. A user's budget is in the context that the user's requests run in. */
const effectServer: Pattern = async (_, options) => {
  const users = new Map<string, Context.Context<never>>()
  const contextOf = Effect.fnUntraced(function* (user: string) {
    const context = users.get(user) ?? (yield* withBudget(userBudget)(Effect.context<never>()))
    users.set(user, context)
    return context
  })
  const line = (event: object) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`)
  const app = Effect.gen(function* () {
    const services = yield* Effect.context<Client>()
    const request = yield* HttpServerRequest.HttpServerRequest
    const asked = JSON.parse(yield* request.text) as Asked
    const own = Context.merge(services, yield* contextOf(asked.user))
    const events = chatCompletionsStream(input, { scenario: asked.scenario, tags: { user: asked.user } }).pipe(
      Stream.map(line),
      Stream.catch((error) => Stream.make(line({ error: error._tag }))),
      Stream.provideContext(own)
    )
    return HttpServerResponse.stream(events, { contentType: "text/event-stream" })
  })
  const scope = Scope.makeUnsafe("sequential")
  const server = Effect.gen(function* () {
    yield* HttpServer.serveEffect(app)
    const { address } = yield* HttpServer.HttpServer
    return HttpServer.formatAddress(address)
  })
  const layer = Layer.mergeAll(
    NodeHttpServer.layer({ host: "127.0.0.1", port: 0 }),
    NodeClient.layer({ ...options, pace: false })
  )
  const address = await Effect.runPromise(
    Effect.flatMap(Layer.buildWithScope(layer, scope), (context) =>
      server.pipe(Effect.provideContext(Context.add(context, Scope.Scope, scope)))
    )
  )
  return {
    ask: askOver(`${address}/`),
    budgetOf: (user) =>
      Effect.runPromise(Effect.flatMap(contextOf(user), (context) => Effect.provideContext(budget(), context))),
    stop: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

export const patterns: Readonly<Record<string, Pattern>> = {
  "node:http": nodeHttp,
  Express: express,
  Hono: hono,
  Koa: koa,
  "Next route handler": nextRoute,
  "Worker over fetch": worker,
  "Stop button of resumable streams": stopButton,
  WebSocket: webSocket,
  "queue worker": queueWorker,
  "Effect HTTP server": effectServer
}
