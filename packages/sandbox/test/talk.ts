import { BillingLog, client, Sandbox } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"

type Headers = Record<string, string>

/** Sends a request without reading the body of its answer. */
export const open = Effect.fnUntraced(function* (path: string, body: unknown, headers: Headers = {}) {
  const http = client(yield* Sandbox.make())
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return yield* http.post(`http://sandbox.invalid${path}`, { body: HttpBody.text(text, "application/json"), headers })
})

export const post = Effect.fnUntraced(function* (path: string, body: unknown, headers: Headers = {}) {
  const response = yield* open(path, body, headers)
  return { status: response.status, headers: response.headers, text: yield* response.text }
})

/** Sends a request whose answer must be JSON. */
export const talk = <A = Record<string, never>>(path: string, body: unknown, headers: Headers = {}) =>
  Effect.map(post(path, body, headers), ({ status, text }) => ({ status, body: JSON.parse(text) as A }))

export interface SentEvent {
  readonly event?: string
  readonly data: string
}

/** Parses server-sent events, and throws if the last one is incomplete. */
export const eventsOf = (text: string): ReadonlyArray<SentEvent> => {
  if (text !== "" && !text.endsWith("\n\n")) throw new Error(`the last event is incomplete: ${text.slice(-80)}`)
  return text
    .split("\n\n")
    .slice(0, -1)
    .map((block) => {
      const fields = new Map(
        block.split("\n").map((line) => {
          const colon = line.indexOf(": ")
          return [line.slice(0, colon), line.slice(colon + 2)] as const
        })
      )
      const [data, event] = [fields.get("data") ?? "", fields.get("event")]
      return event === undefined ? { data } : { data, event }
    })
}

export const withBillingLog = <A, E>(effect: Effect.Effect<A, E, BillingLog>) =>
  Effect.provide(effect, BillingLog.layerMemory())

/** The billed calls. */
export const bills = Effect.flatMap(BillingLog, (billingLog) => billingLog.entries).pipe(
  Effect.map((entries) => entries.map(({ billed, operation }) => ({ operation, billed })))
)

/** The same question in each protocol's format. */
export const styles = {
  chat: {
    path: "/v1/chat/completions",
    stream: "/v1/chat/completions",
    operation: "chat.completions",
    body: (text: string, more: object = {}) => ({
      model: "sandbox",
      messages: [{ role: "user", content: text }],
      ...more
    }),
    streamed: { stream: true }
  },
  responses: {
    path: "/v1/responses",
    stream: "/v1/responses",
    operation: "responses",
    body: (text: string, more: object = {}) => ({ model: "sandbox", input: text, ...more }),
    streamed: { stream: true }
  },
  messages: {
    path: "/v1/messages",
    stream: "/v1/messages",
    operation: "messages",
    body: (text: string, more: object = {}) => ({
      model: "sandbox",
      max_tokens: 1000,
      messages: [{ role: "user", content: text }],
      ...more
    }),
    streamed: { stream: true }
  },
  gemini: {
    path: "/v1beta/models/sandbox:generateContent",
    stream: "/v1beta/models/sandbox:streamGenerateContent?alt=sse",
    operation: "models.stream_generate_content",
    body: (text: string, more: object = {}) => ({ contents: [{ role: "user", parts: [{ text }] }], ...more }),
    streamed: {}
  },
  research: {
    path: "/v1/deep-research/search",
    stream: "/v1/deep-research/search",
    operation: "deep_research.search",
    body: (text: string, more: object = {}) => ({
      model: "sandbox",
      messages: [{ role: "user", content: text }],
      ...more
    }),
    streamed: { stream: true }
  }
} as const

export type Style = keyof typeof styles
export const styleNames = Object.keys(styles) as ReadonlyArray<Style>

export const weather = {
  type: "object",
  properties: { city: { type: "string" }, unit: { enum: ["c", "f"] }, days: { type: "integer", minimum: 3 } },
  required: ["city", "unit"]
}
