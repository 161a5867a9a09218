import { ContentBlock } from "effect/ai/McpSchema"
import * as McpProtocol from "effect/ai/McpProtocol"
import type * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import type { Content } from "./handlers.ts"
import { isToolCall, type Message, type Messages } from "./messages.ts"
import { tokenIn } from "./progress.ts"
import { resultOf } from "./result.ts"
import { names } from "./tools.ts"

/** The latest revision first; of those with sessions, the first is offered to a client that asks for an unknown one. */
export const protocols = [
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26
] as const

const stateless = McpProtocol.v2026_07_28.protocolVersion

/** The MCP server's own check of a call's `params`, by revision. */
const isCall = new Map(
  protocols.map(({ clientRpcs, protocolVersion }) => {
    const { payloadSchema } = clientRpcs.requests.get("tools/call") as Rpc.AnyWithProps
    return [protocolVersion as string, Schema.is(payloadSchema)]
  })
)

/** A call of one of the tools that the gateway answers itself. */
export interface DirectCall {
  readonly id: string | number
  readonly tool: string
  readonly payload: unknown
  readonly revision: string
  readonly metadata: unknown
  readonly requestState: unknown
  readonly inputResponses: unknown
}

type Headers = Readonly<Record<string, string | undefined>>

const isJson = /^application\/json(?:; ?charset=utf-8)?$/i
const acceptsBoth = (accept = ""): boolean => {
  // What most clients send.
  if (accept === "application/json, text/event-stream") return true
  const types = accept.split(",").map((type) => type.trim())
  return types.includes("application/json") && types.includes("text/event-stream")
}

const version = "io.modelcontextprotocol/protocolVersion"

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

/** The revision that the headers and the message agree on. */
const revisionOf = (headers: Headers, { params }: Message, ofSession: string | undefined): string | undefined => {
  const named = headers["mcp-protocol-version"]
  const claimed = fieldOf(params["_meta"], version)
  if (ofSession !== undefined)
    return claimed === undefined && (named ?? ofSession) === ofSession ? ofSession : undefined
  return named === stateless &&
    claimed === stateless &&
    headers["mcp-method"] === "tools/call" &&
    headers["mcp-name"] === params["name"]
    ? stateless
    : undefined
}

/**
 * The call in a body that needs nothing of the MCP server: one message, in order, without progress. `undefined`: the MCP
 * server has to answer, also with what is wrong.
 */
export const directCall = (
  headers: Headers,
  { isBatch, list }: Messages,
  ofSession: string | undefined
): DirectCall | undefined => {
  const [message] = list
  if (isBatch || message?.id === undefined || !isToolCall(message) || message.hasMore) return undefined
  const { id, params } = message
  const { _meta: metadata, arguments: payload = {}, inputResponses, name, requestState } = params
  if (typeof name !== "string" || !names.has(name) || tokenIn(metadata) !== undefined) return undefined
  if (!isJson.test(headers["content-type"] ?? "") || !acceptsBoth(headers["accept"])) return undefined
  const revision = revisionOf(headers, message, ofSession)
  return revision !== undefined && isCall.get(revision)?.(params) === true
    ? { id, tool: name, payload, revision, metadata, requestState, inputResponses }
    : undefined
}

const encodeBlock = Schema.encodeSync(ContentBlock)

/** The answer to a call, as the MCP server would write it. */
export const answerText = (call: DirectCall, content: Content, serverInfo: string): string => {
  if (content.asks !== undefined) {
    const { inputRequests, requestState } = content.asks
    const result = {
      _meta: { "io.modelcontextprotocol/serverInfo": JSON.parse(serverInfo) as unknown },
      resultType: "input_required",
      inputRequests,
      requestState
    }
    return `${JSON.stringify({ jsonrpc: "2.0", id: call.id, result })}\n`
  }
  const { blocks, structured, text } = resultOf(content, call)
  const more = blocks.map((block) => `,${JSON.stringify(encodeBlock(block))}`).join("")
  const meta =
    call.revision === stateless
      ? `"_meta":{"io.modelcontextprotocol/serverInfo":${serverInfo}},"resultType":"complete",`
      : ""
  const structure = structured === undefined ? "" : `"structuredContent":${JSON.stringify(structured)},`
  return `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":{${meta}"content":[{"type":"text","text":${JSON.stringify(text)}}${more}],${structure}"isError":${content.error !== undefined}}}\n`
}
