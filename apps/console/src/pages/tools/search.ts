import { call } from "@tollgate/browser"
import { Typed } from "@tollgate/contract/Open"
import * as Operation from "@tollgate/contract/Operation"
import { limits } from "@tollgate/contract/Tier"
import * as Effect from "effect/Effect"

/** An operation that the tool `search` found. */
export interface Found {
  readonly operation_id: string
  readonly summary: string
  readonly category: string
  readonly price: { readonly words: string }
  readonly score: number
}

export interface SearchAnswer {
  readonly results: ReadonlyArray<Found>
  readonly note?: string
}

interface RpcAnswer {
  readonly result?: {
    readonly structuredContent?: SearchAnswer
    readonly isError?: boolean
    readonly content?: ReadonlyArray<{ readonly text?: string }>
  }
  readonly error?: { readonly message: string }
}

const version = "2026-07-28"

/** The tool server takes one tool call in one request, without a session. */
const toolCall = call(
  Operation.make({
    id: "mcp.search",
    category: "account",
    summary: "",
    method: "POST",
    path: "/mcp",
    request: {
      headers: { "MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "search" },
      body: Typed<object>()
    },
    success: Typed<RpcAnswer>(),
    // The protocol wants a client to accept both, even if the answer is always the first.
    contentType: "application/json, text/event-stream",
    errors: [400, 401, 403, 404, 429, 500, 503],
    family: "data",
    price: { contract: "free" },
    limit: limits.standard,
    replay: "free",
    upstream: "gateway"
  })
)

/** A refusal is words for the agent, in place of results. */
const answerOf = ({ error, result }: RpcAnswer): SearchAnswer => {
  if (error !== undefined) return { results: [], note: error.message }
  const { content, isError, structuredContent } = result ?? {}
  if (structuredContent !== undefined && isError !== true) return structuredContent
  return { results: [], note: content?.[0]?.text ?? "The tool gave no answer." }
}

/** Searches as an agent does: with the tool `search` of the tool server. */
export const search = (query: string) =>
  Effect.map(
    toolCall({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "search",
        arguments: { query },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": version,
          "io.modelcontextprotocol/clientCapabilities": {}
        }
      }
    }),
    answerOf
  )
