import { tags } from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Base64 from "effect/encoding/Base64"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Session } from "./Sessions.ts"
import * as JsonRpc from "./jsonRpc.ts"
import { isToolCall, type Message, type Messages } from "./messages.ts"

/** The origins whose pages may call the tool server. Compared exactly; a request without an origin is no browser's. */
export class Origins {
  readonly list: ReadonlyArray<string>
  readonly #allowed: ReadonlySet<string>

  /** The gateway's own origin counts by its base URL: the `Host` header could be any name that resolves here. */
  constructor(baseUrl: string, others: ReadonlyArray<string>) {
    const own = /^(https?:\/\/[^/?#]+)/i.exec(baseUrl)?.[1]?.toLowerCase()
    this.list = own === undefined ? others : [own, ...others]
    this.#allowed = new Set(this.list)
  }

  allows(origin: string | undefined): boolean {
    return origin === undefined || this.#allowed.has(origin)
  }
}

const exposed = "mcp-session-id, mcp-protocol-version, www-authenticate, retry-after, x-request-id"

/** For an allowed origin. */
export const corsHeaders = (origin: string | undefined): Readonly<Record<string, string>> =>
  origin === undefined
    ? {}
    : { "access-control-allow-origin": origin, "access-control-expose-headers": exposed, vary: "Origin" }

export const preflightHeaders = (origin: string, names: Names): Readonly<Record<string, string>> => ({
  ...corsHeaders(origin),
  "access-control-allow-methods": "POST, DELETE",
  "access-control-allow-headers":
    "authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id, " +
    tags.key(names),
  "access-control-max-age": "7200"
})

type Response = HttpServerResponse.HttpServerResponse
type Given = Readonly<Record<string, string>>
export type Headers = Readonly<Record<string, string | undefined>>

export const sessionId = "mcp-session-id"
export const protocolVersion = "mcp-protocol-version"

const about = (name: string) => `io.modelcontextprotocol/${name}`

const sentences: Readonly<Record<number, string>> = {
  400: "The header MCP-Session-Id is missing, or the revision of MCP accepts no batch.",
  403: "Pages of this origin may not call the tools; the operator can list it.",
  404: "There is no such session; send initialize to start one.",
  405: "Send messages with POST. DELETE ends a session; there is no stream to GET.",
  406: "The header Accept must name application/json and text/event-stream.",
  415: "The header Content-Type must be application/json."
}

/** A refusal by HTTP status, with a sentence. */
export const rejection = (status: number, headers: Given = {}): Response =>
  JsonRpc.error(status, JsonRpc.transport, sentences[status] ?? "The request cannot be handled.", headers)

/** The media types that a header names, without those of quality 0. */
const typesIn = (header = ""): ReadonlyArray<string> =>
  header.split(",").flatMap((part) => {
    const [type = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [type]
  })

/** The status by which a body is refused before it is read. */
export const refusedType = (headers: Headers): 406 | 415 | undefined => {
  if (typesIn(headers["content-type"])[0] !== "application/json") return 415
  const accepted = typesIn(headers["accept"])
  return accepted.includes("application/json") && accepted.includes("text/event-stream") ? undefined : 406
}

/** A header may be encoded, so that it can hold any text. */
const decoded = (header = ""): string | undefined => {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(header) ?? []
  return base64 === undefined ? header : Result.getOrUndefined(Base64.decodeString(base64))
}

/** Whether a message says by itself which revision it is in. */
const isStateless = (headers: Headers, { method, params }: Message): boolean =>
  Predicate.hasProperty(params["_meta"], about("protocolVersion")) ||
  (method !== "initialize" && headers[protocolVersion] === JsonRpc.stateless)

/** What is wrong with a message of the revision without sessions: it says in its headers what is in its body. */
const statelessError = (headers: Headers, { id, method, params }: Message): JsonRpc.ErrorBody | undefined => {
  const { _meta: metadata } = params
  const version = headers[protocolVersion]
  const isCancellation = method === "notifications/cancelled" && id === undefined
  const claim = Predicate.hasProperty(metadata, about("protocolVersion"))
    ? metadata[about("protocolVersion")]
    : undefined
  const mismatch = (message: string) => ({ code: JsonRpc.headerMismatch, message })
  if (version === undefined) return mismatch("MCP-Protocol-Version header is required")
  if (!isCancellation) {
    if (typeof claim !== "string")
      return { code: JsonRpc.invalidParams, message: "Required request metadata is missing" }
    if (claim !== version) return mismatch("MCP-Protocol-Version header does not match request metadata")
    const capabilities = about("clientCapabilities")
    if (!Predicate.hasProperty(metadata, capabilities) || !Predicate.isObject(metadata[capabilities])) {
      return { code: JsonRpc.invalidParams, message: `${capabilities} request metadata is required` }
    }
  }
  if (version !== JsonRpc.stateless) return unsupported(version)
  if (headers["mcp-method"] !== method) return mismatch("Mcp-Method header does not match request method")
  return isToolCall({ method }) && decoded(headers["mcp-name"]) !== params["name"]
    ? mismatch("Mcp-Name header does not match request parameters")
    : undefined
}

const unsupported = (requested: string): JsonRpc.ErrorBody => ({
  code: JsonRpc.unsupportedVersion,
  message: `Unsupported protocol version '${requested}'`,
  data: { supported: JsonRpc.revisions, requested }
})

const sessionError = (headers: Headers, { method }: Message, session: Session | undefined) => {
  const version = headers[protocolVersion]
  const invalid = (message: string) => ({ code: JsonRpc.invalidRequest, message })
  if (method === "initialize") {
    return session === undefined ? undefined : invalid("initialize must not include an MCP-Session-Id header")
  }
  if (version !== undefined && !JsonRpc.revisions.includes(version)) return unsupported(version)
  if (session === undefined) return invalid("MCP-Session-Id header is required; send initialize to start a session")
  return version === undefined || version === session.revision || session.revision === JsonRpc.oldest
    ? undefined
    : {
        code: JsonRpc.headerMismatch,
        message: `MCP-Protocol-Version header '${version}' does not match negotiated protocol version '${session.revision}'`
      }
}

/** The revision in which messages are answered, or why they are not. */
export const admit = (
  headers: Headers,
  { isBatch, list }: Messages,
  session: Session | undefined,
  ofAnswer: Given
): Result.Result<string, Response> => {
  const [first] = list
  if (first === undefined) {
    const [code, message] = isBatch
      ? ([JsonRpc.invalidRequest, "Invalid Request"] as const)
      : ([JsonRpc.parseError, "The body is not valid JSON in UTF-8."] as const)
    return Result.fail(JsonRpc.error(400, code, message, ofAnswer))
  }
  if (isBatch) {
    const isTaken =
      session?.revision === JsonRpc.oldest &&
      list.every((message) => message.method !== "initialize" && !isStateless(headers, message))
    return isTaken ? Result.succeed(JsonRpc.oldest) : Result.fail(rejection(400, ofAnswer))
  }
  const refused = (error: JsonRpc.ErrorBody) =>
    Result.fail(JsonRpc.error(400, error.code, error.message, ofAnswer, first.id, error.data))
  if (first.kind === "invalid") return refused({ code: JsonRpc.invalidRequest, message: "Invalid Request" })
  const isOfItself = isStateless(headers, first)
  const error = isOfItself ? statelessError(headers, first) : sessionError(headers, first, session)
  return error === undefined
    ? Result.succeed(isOfItself ? JsonRpc.stateless : (session?.revision ?? ""))
    : refused(error)
}
