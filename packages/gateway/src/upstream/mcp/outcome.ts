import { type Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import { encode } from "@tollgate/contract/errors/encode"
import type { Code } from "@tollgate/contract/errors/codes"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Predicate from "effect/Predicate"
import type { McpClientError } from "effect/ai/McpClientError"
import {
  INVALID_PARAMS_ERROR_CODE,
  INVALID_REQUEST_ERROR_CODE,
  METHOD_NOT_FOUND_ERROR_CODE,
  PARSE_ERROR_CODE
} from "effect/ai/McpSchema"
import type { Decoded } from "../../exchange/Exchange.ts"
import { refuse, Refused } from "@tollgate/contract/errors/Refused"
import type { CarriedCall } from "./messages.ts"

/** What came of a call: an answer, or why there is none. `Refused` proves that nothing ran. */
export type Outcome = Incoming | NotCarried | Refused

const json = { "content-type": "application/json" }
const mostMessage = 1_000

const errorAnswer = ({ operation, requestId }: Decoded, code: Code, message: string): Incoming => {
  const isManaged = operation.upstream === "managed" && code === "upstream_failed"
  const { body, status } = encode(operation.family, { code, message, requestId, ...(isManaged ? { status: 503 } : {}) })
  return { status, headers: json, body: Utf8.encode(JSON.stringify(body)) }
}

export const toolMissing = (name: string): Refused =>
  refuse(
    "upstream_misconfigured",
    `The upstream does not offer the tool ${JSON.stringify(name.slice(0, 100))} any more; the operator has to remove the operation or change its tool.`
  )

export const noTool = ({ operation }: Decoded): Refused =>
  refuse("upstream_misconfigured", `No tool of the upstream is named for ${operation.id}; the operator has to add one.`)

const notSpoken = refuse(
  "upstream_misconfigured",
  "The upstream does not answer as an MCP server of revision 2025-11-25 or 2026-07-28 does; the operator has to correct its address."
)

/** The head of an answer that the gateway treats alike for every upstream: credential, limit, redirect. */
const headOf = (status: number, retryAfter: string | undefined): Incoming | undefined =>
  status === 401 || status === 403 || status === 429 || (status >= 300 && status < 400)
    ? {
        status,
        headers: retryAfter === undefined ? json : { ...json, "retry-after": retryAfter },
        body: new Uint8Array(0)
      }
    : undefined

const notSent = (isLate: boolean) => new NotCarried({ why: "not sent", ...(isLate ? { late: true } : {}) })

/** Why no session began. The call was not sent. */
export const ofBegin = ({ reason }: McpClientError): Outcome => {
  switch (reason._tag) {
    case "HttpError":
      return headOf(reason.status, reason.retryAfter) ?? (reason.status >= 500 ? notSent(false) : notSpoken)
    case "TransportError":
    case "ClosedError":
      return notSent(false)
    case "TimeoutError":
      return notSent(true)
    default:
      return notSpoken
  }
}

/** The server began to answer, so that a failure is of something else: of the gateway's reply to what the server asked. */
const hasBegun = ({ status }: CarriedCall): boolean => status !== undefined && status >= 200 && status < 300

/** Whether the server refused the call because it does not know the session. Nothing ran. */
export const isForgotten = (call: CarriedCall, { reason }: McpClientError): boolean => {
  if (hasBegun(call)) return false
  if (reason._tag === "ClosedError") return reason.sessionExpired === true
  // What servers of the official SDKs answer. Others report failures of the tool itself by this status.
  return (
    reason._tag === "HttpError" &&
    reason.status === 400 &&
    (reason.description === undefined || /session|initiali[sz]/i.test(reason.description))
  )
}

export const refusesParameters = ({ reason }: McpClientError): boolean =>
  (reason._tag === "ProtocolError" || reason._tag === "HttpError") && reason.code === INVALID_PARAMS_ERROR_CODE

const ofCode = (exchange: Decoded, code: number, description = "no message"): Outcome => {
  const message = description.slice(0, mostMessage)
  switch (code) {
    case INVALID_PARAMS_ERROR_CODE:
      return errorAnswer(exchange, "invalid_request", `The tool refused the arguments: ${message}`)
    case METHOD_NOT_FOUND_ERROR_CODE:
    case INVALID_REQUEST_ERROR_CODE:
    case PARSE_ERROR_CODE:
      return notSpoken
    default:
      return errorAnswer(exchange, "upstream_failed", `The tool failed: ${message}`)
  }
}

/** Why a call has no result. Whatever does not prove that nothing ran is unknown. */
export const ofFailure = (exchange: Decoded, call: CarriedCall, { reason }: McpClientError): Outcome => {
  switch (reason._tag) {
    case "ProtocolError":
      return reason.code === undefined
        ? new NotCarried({ why: "broken", answered: "The upstream did not answer with a result of MCP" })
        : ofCode(exchange, reason.code, reason.description)
    case "HttpError": {
      if (hasBegun(call)) return new NotCarried({ why: "broken" })
      const head = headOf(reason.status, reason.retryAfter)
      if (head !== undefined) return head
      if (reason.status >= 500)
        return errorAnswer(exchange, "upstream_failed", `The upstream answered with status ${reason.status}.`)
      return reason.code === undefined ? notSpoken : ofCode(exchange, reason.code, reason.description)
    }
    // Both are found before anything is sent.
    case "ValidationError":
      return errorAnswer(exchange, "invalid_request", reason.description)
    case "UnsupportedError":
      return notSpoken
    case "LimitError":
      return new NotCarried({ why: "too large" })
    default:
      return call.notCarried ?? new NotCarried({ why: "broken" })
  }
}

/** The result, byte for byte. What has no `content` is no result of a tool, and is not charged. */
export const ofResult = (exchange: Decoded, result: unknown, { result: bytes }: CarriedCall): Outcome => {
  if (bytes === undefined) return new NotCarried({ why: "broken" })
  return Predicate.hasProperty(result, "content") && Array.isArray(result.content)
    ? { status: 200, headers: json, body: bytes }
    : errorAnswer(exchange, "upstream_failed", "The tool answered without content, so this is no result of a tool.")
}
