import { nano, zero } from "@tollgate/contract/Money"
import * as Names from "@tollgate/contract/Names"
import * as Operation from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import type { Priced } from "../../../src/exchange/Exchange.ts"
import { parseQuery } from "../../../src/internal/query.ts"
import * as Router from "../../../src/call/router/Router.ts"
import type { Protocol } from "../../../src/upstream/Protocol.ts"
import type { Answer } from "../../../src/exchange/Reply.ts"

/** Credentials in every place a caller may put them, and the headers of every protocol. */
const headers = {
  authorization: "Bearer tg_secret",
  "x-api-key": "tg_secret",
  "x-goog-api-key": "tg_secret",
  "x-goog-api-client": "sdk/1",
  cookie: "session=secret",
  "openai-beta": "assistants=v2",
  "anthropic-version": "2023-06-01",
  "anthropic-beta": "a,b",
  "x-request-id": "callers-own"
}

/** A call as it reaches the upstream step. */
export const exchangeOf = (operation: Operation.Operation, url: string, body?: string): Priced => {
  const bound = Operation.bind(operation, Names.defaults, { path: operation.path ?? "/v1/bound" })
  const [path = "", query = ""] = url.split("?", 2)
  const match = bound === undefined ? undefined : Router.make([bound]).match(path)
  if (bound === undefined || match === undefined) throw new Error(`${operation.id} is not at ${path}`)
  const parsed: unknown = body === undefined ? undefined : JSON.parse(body)
  const named = match.parameters["model"] ?? (parsed as { readonly model?: string } | undefined)?.model
  return {
    request: { method: operation.method, url, headers, readBody: () => Effect.die("unused") },
    requestId: "req_1",
    since: 0,
    path,
    query,
    match,
    principal: undefined,
    operation: bound,
    wantsQuote: false,
    input: { path: match.parameters, query: Object.fromEntries(parseQuery(query) ?? []), body: parsed },
    model: named,
    bytes: Utf8.encode(body ?? ""),
    price: bound.price,
    estimate: { likely: zero, most: nano(0n) }
  }
}

export const answerOf = (body: string, status = 200): Answer => ({
  status,
  contentType: "application/json",
  headers: {},
  bytes: Utf8.encode(body)
})

/** The request to the upstream, with its body as text. */
export const sent = (protocol: Protocol, exchange: Priced, alias: Parameters<Protocol["request"]>[1] = {}) => {
  const { body, headers, path } = protocol.request(exchange, alias)
  return { path, headers, body: body === undefined ? undefined : Utf8.decode(body) }
}
