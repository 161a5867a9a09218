import { BillingLog, client, Sandbox } from "@tollgate/sandbox"
import type { RerankResult } from "@tollgate/contract/resources/RerankResult"
import type { Names } from "@tollgate/contract/Names"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"

export const question = {
  query: "which river is longest?",
  documents: ["Mount Everest is the highest mountain.", "The Nile is the longest river in Africa."]
}

/** Sends a body to the sandbox, by default to rerank, and reads the answer as text. */
export const ask = Effect.fnUntraced(function* (
  body: unknown,
  headers: Record<string, string> = {},
  options: { readonly names?: Names; readonly path?: string; readonly method?: "GET" | "POST" } = {}
) {
  const http = client(yield* Sandbox.make(options.names === undefined ? {} : { names: options.names }))
  const url = `http://sandbox.invalid${options.path ?? "/v1/rerank"}`
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const response = yield* options.method === "GET"
    ? http.get(url, { headers })
    : http.post(url, { body: HttpBody.text(text, "application/json"), headers })
  return { status: response.status, headers: response.headers, text: yield* response.text }
})

export const rank = (query: string, documents: ReadonlyArray<string>, top_n?: number) =>
  Effect.map(ask({ query, documents, ...(top_n === undefined ? {} : { top_n }) }), ({ status, text }) => {
    if (status !== 200) throw new Error(`${status} ${text}`)
    return JSON.parse(text) as RerankResult
  }).pipe(Effect.provide(BillingLog.layerMemory()))
