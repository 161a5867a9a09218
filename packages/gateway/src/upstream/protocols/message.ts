import { read } from "@tollgate/contract/price/exact"
import { isFree } from "@tollgate/contract/price/Price"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Decoded } from "../../exchange/Exchange.ts"
import { countMembers, set, splice } from "../../internal/jsonEdit.ts"
import type { Alias, Message } from "../Protocol.ts"
import type { Head } from "@tollgate/contract/carrier/Carrier"

/** JSON, or no type at all: the body is parsed anyway. */
export const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined ||
  contentType === "application/json" ||
  /^(?:application|text)\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i.test(contentType.trim())

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** A successful answer of this media type. Parameters such as `charset` are ignored. */
export const hasType = ({ headers, status }: Head, type: string): boolean =>
  isSuccess(status) && (headers["content-type"] ?? "").replace(/;.*/s, "").trim().toLowerCase() === type

export const isEventStream = (_: Decoded, head: Head): boolean => hasType(head, "text/event-stream")

interface Overrides {
  readonly path?: string | undefined
  readonly wantsStream?: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** The caller's own type of a body that is not JSON was checked, and names what divides its parts. */
const sentType = ({ operation, request }: Decoded): string =>
  (operation.request.bodyType === undefined ? undefined : request.headers["content-type"]) ?? "application/json"

/** The caller's request with these overrides. None of the caller's headers is forwarded unless it is among them. */
export const messageOf = (exchange: Decoded, overrides: Overrides): Message => {
  const { bytes, operation, query, requestId } = exchange
  const path = overrides.path ?? exchange.path
  const headers: Record<string, string> = {
    ...overrides.headers,
    accept: overrides.wantsStream === true ? "text/event-stream" : operation.contentType,
    // The gateway reads the answer for its cost, so it must not be compressed.
    "accept-encoding": "identity",
    // The gateway's id, so that an operator can match its records with the upstream's.
    "x-request-id": requestId
  }
  const body = overrides.body ?? bytes
  // An own operation may have a body that callers leave out.
  const hasBody = operation.request.body !== undefined && body.length > 0
  if (hasBody) headers["content-type"] = sentType(exchange)
  return {
    path: query === "" ? path : `${path}?${query}`,
    headers,
    body: hasBody ? body : undefined
  }
}

/** The headers of callers that some protocol sends on. A kept answer is for calls that have them alike. */
export const sentHeaders = ["openai-beta", "anthropic-version", "anthropic-beta"] as const

/** The caller's headers with these names. */
export const pickHeaders = (
  { request }: Decoded,
  names: ReadonlyArray<(typeof sentHeaders)[number]>
): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const name of names) {
    const value = request.headers[name]
    if (value !== undefined) headers[name] = value
  }
  return headers
}

/**
 * The body with the upstream's name for the model. If a free call names two models, both fields get the one that the route
 * was chosen by; a priced call with two was refused.
 */
export const bodyWithModel = ({ bytes, model, modelAt, operation }: Decoded, alias: Alias): Uint8Array => {
  if (operation.request.bodyType !== undefined) {
    const edit = alias.model === undefined ? undefined : modelAt
    return edit === undefined
      ? bytes
      : splice(bytes, 0, bytes.length, [{ from: edit.start, to: edit.end, insert: Utf8.encode(alias.model ?? "") }])
  }
  const isDuplicate = model !== undefined && isFree(operation.price) && countMembers(bytes, "model") > 1
  const name = alias.model ?? (isDuplicate ? model : undefined)
  return name === undefined ? bytes : set(bytes, ["model"], JSON.stringify(name))
}

export const asksForStream = ({ input }: Decoded): boolean => read(input.body, ["stream"]) === true
