import { multipartType, writeBody } from "@tollgate/contract/Upload"
import * as Result from "effect/Result"
import { fromUpstream } from "./ValidatingProxy.ts"

export interface Call {
  readonly method?: string
  /** With the query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown
  /** The bearer credential; `null` for none. */
  readonly as?: string | null
  /** The upstream answers something of its own, such as an error or a page. */
  readonly upstream?: boolean
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: () => unknown
}

const textOf = (body: unknown): string => (typeof body === "string" ? body : JSON.stringify(body))

/** The operations that take a form. */
const takesForm = /^\/v1\/(?:images\/edits|audio\/transcriptions)(?:\?|$)/

const formOf = (path: string, body: unknown) => {
  if (!takesForm.test(path) || typeof body !== "object") return undefined
  const { bytes, contentType } = Result.getOrThrow(writeBody(multipartType, body))
  return { body: Uint8Array.from(bytes), contentType }
}

/** Sends calls to a gateway, by default with one key. */
export class Caller {
  readonly baseUrl: string
  readonly key: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(baseUrl: string, key: string, headers: Readonly<Record<string, string>> = {}) {
    this.baseUrl = baseUrl
    this.key = key
    this.#headers = headers
  }

  /** The same with another key, or with other headers. */
  with(key: string, headers: Readonly<Record<string, string>> = {}): Caller {
    return new Caller(this.baseUrl, key, { ...this.#headers, ...headers })
  }

  async send({ as = this.key, body, headers = {}, method, path, upstream = false }: Call): Promise<Answer> {
    const form = formOf(path, body)
    const answer = await fetch(this.baseUrl + path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      redirect: "manual",
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${as}` }),
        ...(body === undefined ? {} : { "content-type": form?.contentType ?? "application/json" }),
        ...(upstream ? { [fromUpstream]: "yes" } : {}),
        ...this.#headers,
        ...headers
      },
      ...(body === undefined ? {} : { body: form?.body ?? textOf(body) })
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, json: () => JSON.parse(text) as unknown }
  }
}
