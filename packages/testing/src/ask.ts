import { Host } from "./Host.ts"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Uint8Array
  readonly text: string
  readonly json: () => unknown
}

/** Sends one request and returns the whole answer. `path` includes the query. */
export const ask = Effect.fnUntraced(function* (
  method: "GET" | "HEAD" | "POST" | "PATCH" | "PUT" | "DELETE" | "OPTIONS",
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string
) {
  const { baseUrl, http } = yield* Host
  const response = yield* http.execute(
    HttpClientRequest.make(method)(baseUrl + path, {
      headers,
      ...(body === undefined ? {} : { body: HttpBody.text(body, "application/json") })
    })
  )
  const bytes = new Uint8Array(yield* response.arrayBuffer)
  const text = new TextDecoder().decode(bytes)
  const answer: Answer = {
    status: response.status,
    headers: response.headers,
    bytes,
    text,
    json: () => JSON.parse(text) as unknown
  }
  return answer
})

export const question = JSON.stringify({ query: "q", documents: ["a", "b"] })
