import * as Headers from "@tollgate/contract/Headers"
import * as RetryAfter from "@tollgate/contract/RetryAfter"
import { type Refused, statusOf } from "@tollgate/contract/errors/Refused"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { nosniff } from "@tollgate/gateway/endpoints/http/respond"

// The revisions of MCP.

/** It has no sessions: each message says what a session would know. */
export const stateless = "2026-07-28"
/** It has batches, no structured content and no links, and its clients need not name it in a header. */
export const oldest = "2025-03-26"
/** The latest of those with sessions: a client that asks for an unknown one is offered it. */
const latest = "2025-11-25"

export const revisions: ReadonlyArray<string> = [stateless, latest, "2025-06-18", oldest]

/** The revision of a new session. */
export const agreedOn = (wanted: string): string =>
  wanted !== stateless && revisions.includes(wanted) ? wanted : latest

export type Id = string | number | null
type Given = Readonly<Record<string, string>>

export interface ErrorBody {
  readonly code: number
  readonly message: string
  readonly data?: object | undefined
}

/** Codes of JSON-RPC. Those from -32000 to -32099 are the server's own. */
export const parseError = -32700
export const invalidRequest = -32600
export const invalidParams = -32602
export const methodNotFound = -32601
export const internalError = -32603
/** Those of MCP. */
export const headerMismatch = -32020
export const missingCapability = -32021
export const unsupportedVersion = -32022
/** The official servers use it for what HTTP rules refuse. */
export const transport = -32000
const refusedCode = -32001

const response = (status: number, body: object, headers: Given) =>
  HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", ...body }, { status, headers: { ...nosniff, ...headers } })

export const resultText = (id: Id, result: object): string => JSON.stringify({ jsonrpc: "2.0", id, result })

export const errorText = (id: Id, error: ErrorBody): string => JSON.stringify({ jsonrpc: "2.0", id, error })

export const result = (id: Id, value: unknown, headers: Given = {}) => response(200, { id, result: value }, headers)

export const error = (
  status: number,
  code: number,
  message: string,
  headers: Given = {},
  id: Id = null,
  data?: object
) => response(status, { id, error: { code, message, data } }, headers)

/** A refusal of the whole HTTP request, as JSON-RPC. */
export const refusal = ({ headers, refusal }: Refused, requestId: string, more: Given, id: Id = null) => {
  const { code, message, retryAfter } = refusal
  return response(
    statusOf(refusal),
    { id, error: { code: refusedCode, message, data: { code, request_id: requestId } } },
    {
      ...headers,
      ...(retryAfter === undefined ? {} : { "retry-after": RetryAfter.format(retryAfter) }),
      [Headers.requestId]: requestId,
      ...more
    }
  )
}
