import { key } from "../TestGateway.ts"
import { streams } from "../models.ts"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"

const events = { "content-type": "text/event-stream" }
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
export const chunk = (content: string) =>
  data({ id: "c", model: "sandbox", choices: [{ index: 0, delta: { content } }] })

export const words = ["Because", " of", " the", " water", "."]
export const last =
  data({ id: "c", model: "sandbox", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  data({ id: "c", choices: [], usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } }) +
  "data: [DONE]\n\n"

/** The price of 10 tokens in and 20 out, at 3 and 17 USD per million. */
export const charged = 370

const { body, path } = streams.openai
/** The body of what `ask` asks. */
export const question = body("Why do rivers bend?")

export interface Asked {
  readonly key?: string
  readonly last?: number | string | undefined
  readonly body?: string
  readonly credential?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export const ask = (baseUrl: string, asked: Asked = {}) =>
  fetch(baseUrl + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${asked.credential ?? key}`,
      "content-type": "application/json",
      "idempotency-key": asked.key ?? "one",
      "x-tollgate-resumable": "true",
      ...(asked.last === undefined ? {} : { "last-event-id": String(asked.last) }),
      ...asked.headers
    },
    body: asked.body ?? question,
    ...(asked.signal === undefined ? {} : { signal: asked.signal })
  })

/** Asks for the charge of the call of a key, or cancels it. */
export const askMode = (baseUrl: string, mode: string, asked: Pick<Asked, "credential" | "key"> = {}) =>
  fetch(baseUrl + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${asked.credential ?? key}`,
      "idempotency-key": asked.key ?? "one",
      "x-tollgate-idempotency-mode": mode
    }
  })

export const textOf = (asked: Promise<Response>) => Effect.promise(async () => (await asked).text())

export const refusalOf = (asked: Promise<Response>) =>
  Effect.promise(async () => {
    const response = await asked
    const { error } = (await response.json()) as { readonly error: { readonly code: string; readonly message: string } }
    return { status: response.status, code: error.code, message: error.message }
  })

/** The events with their ids. */
export const eventsIn = (text: string) =>
  text
    .split("\n\n")
    .filter((event) => event.includes("data:"))
    .map((event) => ({ id: /^id: (\d+)$/m.exec(event)?.[1], text: `${event}\n\n` }))

/** Reads until the text contains this, and leaves. */
export const leaveAt = (baseUrl: string, part: string, asked: Asked = {}) =>
  Effect.promise(async () => {
    const leaving = new AbortController()
    const response = await ask(baseUrl, { ...asked, signal: leaving.signal })
    let text = ""
    const decoder = new TextDecoder()
    for await (const bytes of response.body!) {
      text += decoder.decode(bytes as Uint8Array, { stream: true })
      if (text.includes(part)) break
    }
    leaving.abort()
    return text
  })

export const begin =
  (...content: ReadonlyArray<string>) =>
  (res: ServerResponse) => {
    res.writeHead(200, events)
    for (const word of content) res.write(chunk(word))
  }
