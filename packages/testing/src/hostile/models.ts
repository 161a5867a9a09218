import { usd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import type { ModelPrice, Price } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ask } from "../ask.ts"
import { Host } from "../Host.ts"
import { bindings } from "../models.ts"
import { key, type Options, TestGateway } from "../TestGateway.ts"
import { httpUpstream, providerAt, type Received } from "../upstream.ts"

/** USD per million tokens: a token of input costs 1 micro-USD, one of output 10. */
export const model: ModelPrice = {
  input: usd("1"),
  output: usd("10"),
  cacheRead: usd("1"),
  cacheWrite: usd("1"),
  maxOutput: 1_000,
  contextWindow: 100_000,
  imageTokens: 700
}

const image: Price = {
  contract: "per_request",
  amount: usd("0.04"),
  times: { field: ["n"], unit: "image", otherwise: 1 },
  variants: [
    { amount: usd("0.02"), where: [{ field: ["size"], values: ["512x512"] }] },
    {
      amount: usd("0.08"),
      where: [
        { field: ["size"], values: ["1024x1024", null] },
        { field: ["quality"], values: ["hd"] }
      ]
    },
    { amount: usd("0.04"), where: [{ field: ["size"], values: ["1024x1024", null] }] }
  ]
}

const video: Price = {
  contract: "per_task",
  amount: usd("0.10"),
  times: { field: ["parameters", "duration"], unit: "second", otherwise: 5 },
  variants: [{ amount: usd("0.05"), where: [{ field: ["parameters", "resolution"], values: ["480P"] }] }]
}

const priced: ReadonlyArray<Operation> = operations.map((operation): Operation => {
  const { id, price } = operation
  if (price.contract === "model_tokens") return { ...operation, price: { ...price, models: { m: model } } }
  return id === "images.generate"
    ? { ...operation, price: image }
    : id === "video.create"
      ? { ...operation, price: video }
      : operation
})

export const protocols = {
  openai: {
    operation: "chat.completions",
    path: "/v1/chat/completions",
    bound: ["max_completion_tokens"],
    body: (content: unknown, more: object = {}) => ({ model: "m", messages: [{ role: "user", content }], ...more }),
    text: (text: string) => [{ type: "text", text }]
  },
  responses: {
    operation: "responses",
    path: "/v1/responses",
    bound: ["max_output_tokens"],
    body: (content: unknown, more: object = {}) => ({
      model: "m",
      store: false,
      input: [{ role: "user", content }],
      ...more
    }),
    text: (text: string) => [{ type: "input_text", text }]
  },
  anthropic: {
    operation: "messages",
    path: "/v1/messages",
    bound: ["max_tokens"],
    body: (content: unknown, more: object = {}) => ({ model: "m", messages: [{ role: "user", content }], ...more }),
    text: (text: string) => [{ type: "text", text }]
  },
  gemini: {
    operation: "models.generate_content",
    path: "/v1beta/models/m:generateContent",
    bound: ["generationConfig", "maxOutputTokens"],
    body: (parts: unknown, more: object = {}) => ({ contents: [{ role: "user", parts }], ...more }),
    text: (text: string) => [{ text }]
  }
} as const

/** What the upstream reports as used. */
const used = { input: 20, output: 30 }

const answers: ReadonlyArray<readonly [path: string, answer: unknown]> = [
  [
    "/chat/completions",
    {
      id: "c",
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: used.input, completion_tokens: used.output, total_tokens: used.input + used.output }
    }
  ],
  [
    "/responses",
    {
      id: "r",
      object: "response",
      status: "completed",
      error: null,
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "hi", annotations: [] }] }],
      usage: { input_tokens: used.input, output_tokens: used.output, total_tokens: used.input + used.output }
    }
  ],
  [
    "/messages",
    {
      id: "m",
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "hi" }],
      stop_reason: "end_turn",
      usage: { input_tokens: used.input, output_tokens: used.output }
    }
  ],
  [
    "generateContent",
    {
      candidates: [{ content: { parts: [{ text: "hi" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: used.input, candidatesTokenCount: used.output }
    }
  ],
  ["/rerank", { model: "r", results: [], usage: { total_tokens: used.input } }],
  ["/images", { created: 1, data: [{ b64_json: "AA==" }] }],
  ["/video-synthesis", { output: { task_id: "t-1", task_status: "PENDING" }, request_id: "r" }]
]

const answerTo = ({ url }: Received): string =>
  JSON.stringify(answers.find(([path]) => url.includes(path))?.[1] ?? { error: { message: url } })

/** With room for a photo in the body. */
const roomyHost = Host.layerSockets(8_000_000)

/** A gateway in front of one upstream that plays every model. `received` is what the upstream got. */
export const withModels = <A, E>(
  use: (received: ReadonlyArray<Received>) => Effect.Effect<A, E, Host | TestGateway>,
  options: Options = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream((res, received) =>
        res.writeHead(200, { "content-type": "application/json" }).end(answerTo(received))
      )
      const at = (protocol: string) => ({ ...providerAt(port), protocol })
      const providers = {
        "chat.completions": at("openai"),
        responses: at("openai"),
        messages: at("anthropic"),
        "models.generate_content": at("gemini"),
        rerank: at("json"),
        "images.generate": at("json"),
        "video.create": at("task")
      }
      const gateway = TestGateway.layer({ operations: priced, bindings, providers, ...options })
      return yield* Effect.provide(use(received), roomyHost.pipe(Layer.provideMerge(gateway)))
    })
  )

export const bearer = { authorization: `Bearer ${key}` }

export const post = (path: string, body: object | string, headers: Readonly<Record<string, string>> = {}) =>
  ask("POST", path, { ...bearer, ...headers }, typeof body === "string" ? body : JSON.stringify(body))

export const capOf = (usd: string) => ({ "x-tollgate-max-price-usd": usd })

interface Quoted {
  readonly estimate_micros_usd: number
  readonly max_micros_usd: number
  readonly basis: string
}

export const quote = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  Effect.map(post(path, body, { ...headers, "x-tollgate-cost-mode": "quote" }), (answer) => {
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
    return answer.json() as Quoted
  })
