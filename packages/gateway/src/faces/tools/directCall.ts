import type { Catalogue } from "@tollgate/contract/Catalogue"
import { ContentBlock } from "effect/ai/McpSchema"
import * as McpProtocol from "effect/ai/McpProtocol"
import type * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import type { CallMessage } from "./CallMessage.ts"
import type { Content } from "./handlers.ts"
import { isToolCall, type Message, type Messages, operationIn } from "./messages.ts"
import { tokenIn } from "./progress.ts"
import { resultOf } from "./result.ts"
import { declaresTasks, TaskHandle } from "./TaskHandle.ts"
import { startsTasks } from "./taskWait.ts"
import { names } from "./tools.ts"

/** The latest revision first; of those with sessions, the first is offered to a client that asks for an unknown one. */
export const protocols = [
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26
] as const

export const stateless = McpProtocol.v2026_07_28.protocolVersion

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
  readonly takesTasks: boolean
}

export type Headers = Readonly<Record<string, string | undefined>>

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

/** Whether the headers and the message agree on the revision without sessions. */
export const isStateless = (headers: Headers, { params }: Message): boolean =>
  headers["mcp-protocol-version"] === stateless && fieldOf(params["_meta"], version) === stateless

/** The revision that the headers and the message agree on. */
const revisionOf = (headers: Headers, message: Message, ofSession: string | undefined): string | undefined => {
  const { params } = message
  if (ofSession !== undefined) {
    const named = headers["mcp-protocol-version"] ?? ofSession
    return fieldOf(params["_meta"], version) === undefined && named === ofSession ? ofSession : undefined
  }
  return isStateless(headers, message) &&
    headers["mcp-method"] === "tools/call" &&
    headers["mcp-name"] === params["name"]
    ? stateless
    : undefined
}

/**
 * The call in a body that needs nothing of the MCP server: one message, in order, without progress. `undefined`: the MCP
 * server has to answer, also with what is wrong. A task has no progress, so a call that becomes one is answered here.
 */
export const directCall = (
  headers: Headers,
  { isBatch, list }: Messages,
  ofSession: string | undefined,
  { byId }: Pick<Catalogue, "byId">
): DirectCall | undefined => {
  const [message] = list
  if (isBatch || message?.id === undefined || !isToolCall(message) || message.hasMore) return undefined
  const { id, params } = message
  const { _meta: metadata, arguments: payload = {}, inputResponses, name, requestState } = params
  if (typeof name !== "string" || !names.has(name)) return undefined
  const takesTasks = ofSession === undefined && declaresTasks(metadata)
  if (tokenIn(metadata) !== undefined) {
    const operation = takesTasks ? byId.get(operationIn(message) ?? "") : undefined
    if (operation === undefined || !startsTasks(operation)) return undefined
  }
  if (!isJson.test(headers["content-type"] ?? "") || !acceptsBoth(headers["accept"])) return undefined
  const revision = revisionOf(headers, message, ofSession)
  return revision !== undefined && isCall.get(revision)?.(params) === true
    ? { id, tool: name, payload, revision, metadata, takesTasks, requestState, inputResponses }
    : undefined
}

const encodeBlock = Schema.encodeSync(ContentBlock)

/** What a call returned, as `answerText` writes it. */
export const resultFields = (content: Content, message: Pick<CallMessage, "metadata" | "revision">): object => {
  const { blocks, structured, text } = resultOf(content, message)
  return {
    content: [{ type: "text", text }, ...blocks.map((block) => encodeBlock(block))],
    ...(structured === undefined ? {} : { structuredContent: structured }),
    isError: content.error !== undefined
  }
}

/** The answer to a call, as the MCP server would write it. */
export const answerText = (call: DirectCall, content: Content, serverInfo: string): string => {
  if (content instanceof TaskHandle) {
    const meta = `"_meta":{"io.modelcontextprotocol/serverInfo":${serverInfo}}`
    return `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":{${meta},"resultType":"task",${JSON.stringify(content.fields).slice(1)}}\n`
  }
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
