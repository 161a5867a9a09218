import { defaults, type Names } from "@tollgate/contract/Names"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { Handler } from "../src/BilledAnswer.ts"

export interface Asked {
  /** The raw query string, without the `?`. */
  readonly query?: string
  readonly path?: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly names?: Names
  readonly redirectUri?: string
}

export interface Got {
  readonly operation: string | undefined
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
  readonly billed: Readonly<Record<string, number>>
}

const none = { operation: undefined, headers: {}, bytes: new Uint8Array(), contentType: undefined, billed: {} }

/** Calls a handler as the sandbox does, and returns its answer or its error in one shape. */
export const call = (handler: Handler | undefined, method: "GET" | "POST", asked: Asked = {}): Effect.Effect<Got> => {
  const sent = HttpClientRequest.make(method)("http://sandbox.invalid/", {
    headers: asked.headers ?? {},
    ...(asked.body === undefined
      ? {}
      : { body: typeof asked.body === "string" ? HttpBody.text(asked.body) : HttpBody.uint8Array(asked.body) })
  })
  const url = `${asked.path ?? "/"}${asked.query === undefined ? "" : `?${asked.query}`}`
  const request = HttpServerRequest.fromClientRequest(sent).modify({ url })
  if (handler === undefined) return Effect.die("no such handler")
  const context = {
    parameters: asked.parameters ?? {},
    scenario: { kind: "none" } as const,
    names: asked.names ?? defaults,
    redirectUri: asked.redirectUri
  }
  return handler(request, context).pipe(
    Effect.map((work): Got => {
      if ("events" in work) throw new Error("a stream")
      const { billed, headers = {}, operation, status = 200 } = work
      const same = { ...none, billed, headers, operation, status }
      return "bytes" in work
        ? { ...same, body: undefined, bytes: work.bytes, contentType: work.contentType }
        : { ...same, body: JSON.parse(JSON.stringify(work.body)) }
    }),
    Effect.catchTag("InvalidInput", ({ code, message, status = 400 }) =>
      Effect.succeed<Got>({ ...none, status, body: { code, message } })
    )
  )
}

export const query = (parameters: Readonly<Record<string, string>>): string =>
  new URLSearchParams(parameters).toString()
