import * as Effect from "effect/Effect"
import { Served } from "../hostile/Served.ts"
import { key } from "../TestGateway.ts"

type Headers = Readonly<Record<string, string>>

export interface Posted {
  readonly status: number
  readonly headers: globalThis.Headers
  readonly text: string
  /** The JSON-RPC messages of the answer, whether it is JSON or an event stream. */
  readonly messages: ReadonlyArray<Message>
}

export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export const bearer = { authorization: `Bearer ${key}` }

export const mcpHeaders = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream"
}

const messagesIn = (text: string, contentType: string | null): ReadonlyArray<Message> => {
  if (text === "") return []
  if (contentType?.startsWith("text/event-stream") === true) {
    return text
      .split("\n\n")
      .filter((event) => event.startsWith("data: "))
      .map((event) => JSON.parse(event.slice(6)) as Message)
  }
  if (contentType?.startsWith("application/json") !== true) return []
  const json = JSON.parse(text) as Message | ReadonlyArray<Message>
  return Array.isArray(json) ? (json as ReadonlyArray<Message>) : [json as Message]
}

/** Sends a body to `/mcp` as it is. */
export const send = (body: string, headers: Headers, method = "POST") =>
  Effect.flatMap(Served, ({ baseUrl }) =>
    Effect.promise(async (signal): Promise<Posted> => {
      const init = method === "GET" || method === "DELETE" || method === "OPTIONS" ? {} : { body }
      const response = await fetch(`${baseUrl}/mcp`, { method, headers, signal, ...init })
      const text = await response.text()
      const messages = messagesIn(text, response.headers.get("content-type"))
      return { status: response.status, headers: response.headers, text, messages }
    })
  )

const revision = "2026-07-28"

const meta = {
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" }
}

let lastId = 0

const nameOf = (name: unknown) => (typeof name === "string" ? { "mcp-name": name } : {})

const asProgram = { "tollgate/structured": true }

/** What a program adds to a message that knows the tasks extension. */
export const withTasks = {
  ...asProgram,
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } }
}

/** A request of the revision without sessions. */
export const request = (method: string, params: Readonly<Record<string, unknown>> = {}, more: object = {}) => ({
  body: JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params: { ...params, _meta: { ...meta, ...more } } }),
  headers: {
    ...mcpHeaders,
    "mcp-protocol-version": revision,
    "mcp-method": method,
    ...nameOf(params["name"] ?? params["taskId"])
  }
})

export const ask = (
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  headers: Headers = bearer,
  more: object = {}
) => {
  const made = request(method, params, more)
  return send(made.body, { ...made.headers, ...headers })
}

export interface ToolResult {
  readonly isError: boolean
  /** The structured content. */
  readonly content: Readonly<Record<string, unknown>>
  readonly text: string
  readonly progress: ReadonlyArray<Readonly<Record<string, unknown>>>
}

const resultOf = (posted: Posted): ToolResult => {
  const last = posted.messages.at(-1)
  if (last?.result === undefined) throw new Error(`no result: ${posted.status} ${posted.text}`)
  const { content, isError, structuredContent } = last.result as {
    content: ReadonlyArray<{ text: string }>
    isError?: boolean
    structuredContent: Readonly<Record<string, unknown>>
  }
  return {
    isError: isError === true,
    content: structuredContent,
    text: content[0]?.text ?? "",
    progress: posted.messages.flatMap(({ method, params }) =>
      method === "notifications/progress" && params !== undefined ? [params] : []
    )
  }
}

/** Calls a tool as a program does, and asks for progress if a token is given. */
export const callTool = (
  name: string,
  input: Readonly<Record<string, unknown>>,
  headers: Headers = bearer,
  progressToken?: string
) =>
  Effect.map(
    ask("tools/call", { name, arguments: input }, headers, {
      ...asProgram,
      ...(progressToken === undefined ? {} : { progressToken })
    }),
    resultOf
  )

/** Starts a session of an older revision. */
export const initialize = (version = "2025-11-25", headers: Headers = bearer) =>
  Effect.map(
    send(
      JSON.stringify({
        jsonrpc: "2.0",
        id: ++lastId,
        method: "initialize",
        params: { protocolVersion: version, capabilities: {}, clientInfo: { name: "test", version: "1" } }
      }),
      { ...mcpHeaders, ...headers }
    ),
    (posted) => ({ ...posted, session: posted.headers.get("mcp-session-id") ?? "" })
  )

/** A message of the revisions with sessions. */
export const rpc = (method: string, params: object = {}, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

/** The headers of a request in a session. */
export const inSession = (session: string, version = "2025-11-25") => ({
  ...mcpHeaders,
  ...bearer,
  "mcp-session-id": session,
  "mcp-protocol-version": version
})
