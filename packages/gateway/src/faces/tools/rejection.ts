import * as Utf8 from "@tollgate/contract/Utf8"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { parseJson } from "../../internal/parseJson.ts"
import * as JsonRpc from "./jsonRpc.ts"

type Response = HttpServerResponse.HttpServerResponse

const sentences: Readonly<Record<number, string>> = {
  400: "The header MCP-Session-Id is missing, or the revision of MCP accepts no batch.",
  403: "Pages of this origin may not call the tools; the operator can list it.",
  404: "There is no such session; send initialize to start one.",
  405: "Send messages with POST. DELETE ends a session; there is no stream to GET.",
  406: "The header Accept must name application/json and text/event-stream.",
  415: "The header Content-Type must be application/json."
}

/** A refusal by HTTP status, with a sentence. */
export const rejection = (status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  JsonRpc.error(status, JsonRpc.transport, sentences[status] ?? "The request cannot be handled.", headers)

const notJson = "The body is not valid JSON in UTF-8."

/** Removes the name of the error's class, which is no part of JSON-RPC. */
const withoutTag = (response: Response, bytes: Uint8Array, status: number): Response => {
  const body = Result.getOrUndefined(parseJson(bytes))
  if (!Predicate.hasProperty(body, "error") || !Predicate.isObject(body.error)) return response
  const { _tag, ...error } = body.error as { readonly _tag?: unknown }
  return HttpServerResponse.jsonUnsafe({ ...body, error }, { status })
}

/** What came as a body: messages, JSON that holds none, or something else. */
export type Posted = "messages" | "no message" | "not JSON"

/** Gives what the MCP server rejects a status and a sentence. Other responses stay. */
export const explained = (response: Response, posted: Posted): Response => {
  const { body, status } = response
  if (posted === "not JSON" && status === 200) return JsonRpc.error(400, JsonRpc.parseError, notJson)
  if (status < 400 && posted === "messages") return response
  if (body._tag === "Empty") return status < 400 ? response : rejection(status)
  if (body._tag !== "Uint8Array" || !Utf8.decode(body.body).includes('"_tag"')) return response
  return withoutTag(response, body.body, status < 400 ? 400 : status)
}
