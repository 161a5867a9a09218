import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"
import { httpUpstream, type Received } from "../upstream.ts"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** Answers one call of a tool. */
export interface ToolReply {
  readonly arguments: Readonly<Record<string, unknown>>
  /** The body of the request, as it arrived. */
  readonly raw: string
  readonly progress: (progress: number, total?: number, message?: string) => void
  readonly result: (result: unknown) => void
  /** The text of a JSON-RPC message without its id, to send what `JSON.stringify` does not. */
  readonly text: (json: string) => void
  readonly error: (code: number, message: string) => void
  readonly response: ServerResponse
}

export interface ToolBehavior {
  readonly inputSchema?: object
  readonly call: (reply: ToolReply) => void
}

export interface ToolUpstreamOptions {
  readonly tools: Record<string, ToolBehavior>
  /** Default: the older revision, with sessions. */
  readonly revision?: "2025-11-25" | "2026-07-28"
  /** Answers a request before the server does. `true`: it is answered. */
  readonly before?: (message: Message, response: ServerResponse, received: Received) => boolean
  /** The status for a session that the server does not know. */
  readonly forgottenStatus?: 400 | 404
}

const info = { name: "test", version: "1" }

const json = (response: ServerResponse, body: object, headers: Readonly<Record<string, string>> = {}, status = 200) =>
  void response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify({ jsonrpc: "2.0", ...body }))

const replyOf = (response: ServerResponse, { id, params = {} }: Message, raw: string): ToolReply => {
  const event = (text: string) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(`event: message\ndata: ${text}\n\n`)
  }
  const end = (text: string) => {
    if (response.headersSent) {
      event(text)
      response.end()
    } else response.writeHead(200, { "content-type": "application/json" }).end(text)
  }
  const meta = params["_meta"] as { readonly progressToken?: number } | undefined
  const prefix = `{"jsonrpc":"2.0","id":${String(id)},`
  return {
    arguments: (params["arguments"] ?? {}) as Readonly<Record<string, unknown>>,
    raw,
    progress: (progress, total, message) => {
      if (meta?.progressToken === undefined) return
      const { progressToken } = meta
      event(
        JSON.stringify({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken, progress, total, message }
        })
      )
    },
    result: (result) => end(`${prefix}"result":${JSON.stringify(result)}}`),
    text: (text) => end(`${prefix}${text}}`),
    error: (code, message) => end(`${prefix}"error":${JSON.stringify({ code, message })}}`),
    response
  }
}

/** An MCP server whose tools a test drives. `sessions` and `tools` may change while it runs. */
export const toolUpstream = (options: ToolUpstreamOptions) =>
  Effect.gen(function* () {
    const sessions = new Set<string>()
    const messages: Array<Message> = []
    let nextSession = 0
    const isModern = options.revision === "2026-07-28"
    const list = () =>
      Object.entries(options.tools).map(([name, { inputSchema = { type: "object" } }]) => ({ name, inputSchema }))

    const answer = (response: ServerResponse, message: Message, received: Received): void => {
      const { id, method, params } = message
      if (isModern ? method === "server/discover" : method === "initialize") {
        if (isModern) {
          return json(response, {
            id,
            result: {
              resultType: "complete",
              supportedVersions: ["2026-07-28"],
              capabilities: { tools: {} },
              ttlMs: 0,
              cacheScope: "private",
              _meta: { "io.modelcontextprotocol/serverInfo": info }
            }
          })
        }
        const session = `session-${++nextSession}`
        sessions.add(session)
        const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: info }
        return json(response, { id, result }, { "mcp-session-id": session })
      }
      const session = received.headers["mcp-session-id"]
      if (!isModern && (typeof session !== "string" || !sessions.has(session))) {
        const error = { code: -32000, message: "Bad Request: No valid session ID provided" }
        return json(response, { id: null, error }, {}, session === undefined ? 400 : (options.forgottenStatus ?? 404))
      }
      if (id === undefined) return void response.writeHead(202).end()
      if (method === "tools/list") {
        const result = {
          tools: list(),
          ...(isModern ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {})
        }
        return json(response, { id, result })
      }
      const tool = options.tools[String(params?.["name"])]
      const reply = replyOf(response, message, received.body)
      return tool === undefined ? reply.error(-32602, "Unknown tool") : tool.call(reply)
    }

    const { port, received } = yield* httpUpstream((response, request) => {
      if (request.method === "DELETE") {
        sessions.delete(String(request.headers["mcp-session-id"]))
        messages.push({ method: "DELETE" })
        return void response.writeHead(200).end()
      }
      const message = JSON.parse(request.body) as Message
      messages.push(message)
      if (options.before?.(message, response, request) !== true) answer(response, message, request)
    })
    return {
      port,
      received,
      sessions,
      messages,
      methods: () => messages.map(({ method = "response" }) => method)
    }
  })
