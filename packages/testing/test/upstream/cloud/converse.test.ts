import { describe, expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { eventFrame, exceptionFrame, frame } from "@tollgate/testing/cloud/frames"
import { bedrock, inCloud, json, secretIn } from "@tollgate/testing/cloud/standIns"
import { calls, priced, reservedTotal, streams } from "@tollgate/testing/models"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import type { Provider } from "@tollgate/gateway/upstream/Provider"
import type { Route, Target } from "@tollgate/gateway/upstream/Route"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ServerResponse } from "node:http"

const account = { AccessKeyId: "AKIDBEDROCK", SecretAccessKey: "the/Secret+Key", SessionToken: "a-session-token/+=" }
const model = "eu.amazon.nova-2-lite-v1:0"

// As Bedrock answered.

const usage = {
  inputTokens: 100,
  outputTokens: 10,
  totalTokens: 110,
  cacheReadInputTokenCount: 0,
  cacheReadInputTokens: 0,
  cacheWriteInputTokenCount: 0,
  cacheWriteInputTokens: 0,
  serverToolUsage: {}
}
/** 100 tokens at 3 USD and 10 at 17 USD per million. */
const charged = 470

const answer = {
  metrics: { latencyMs: 421 },
  output: { message: { content: [{ text: "Because." }], role: "assistant" } },
  stopReason: "end_turn",
  usage
}

type Frames = ReadonlyArray<readonly [name: string, payload: object]>

const text: Frames = [
  ["messageStart", { p: "abcdefghijk", role: "assistant" }],
  ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Because — of" }, p: "abc" }],
  ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: " “rivers”.\n" }, p: "abcdefghijklmnopqrstuvwxyzA" }],
  ["contentBlockStop", { contentBlockIndex: 0, p: "abcdefghijklmnopqrstuvwxyzABCDEFG" }]
]
const stopped: Frames = [["messageStop", { p: "abcdefghijklm", stopReason: "end_turn" }]]
const metadata: Frames = [["metadata", { metrics: { latencyMs: 421 }, p: "abcdefgh", usage }]]
const framed = (frames: Frames) => frames.map(([name, payload]) => eventFrame(name, payload))
const whole = framed([...text, ...stopped, ...metadata])

const streamed = (res: ServerResponse, ...frames: ReadonlyArray<Uint8Array>) =>
  res.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" }).end(Buffer.concat(frames))

const awsAt = (port: number, more: Partial<Provider> = {}) =>
  inCloud(
    port,
    "converse",
    { kind: "aws", region: "eu-west-1", secret: secretIn(JSON.stringify(account)).source },
    { breaker: false, ...more }
  )

const operations = [
  "chat.completions",
  "responses",
  "messages",
  "models.generate_content",
  "models.stream_generate_content"
]

const routed = (more: Partial<Target>, ...providers: ReadonlyArray<Provider>): ReadonlyArray<Route> =>
  operations.map((operation) => ({
    operation,
    to: providers.map((provider) => ({ provider, model, weight: 1e6 ** -providers.indexOf(provider), ...more }))
  }))

const through = <A, E>(routes: ReadonlyArray<Route>, effect: Effect.Effect<A, E, Host | TestGateway>) =>
  Effect.provide(effect, Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ routes, operations: priced }))))

const only = Effect.map(calls, (all) => {
  expect(all).toHaveLength(1)
  return all[0]!
})

const chat = (more: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  ask(
    "POST",
    "/v1/chat/completions",
    { authorization: `Bearer ${key}`, ...headers },
    JSON.stringify({
      model: "sandbox",
      messages: [{ role: "user", content: "Why?" }],
      max_completion_tokens: 500,
      ...more
    })
  )
const streaming = { stream: true, stream_options: { include_usage: true } }

/** A call to a stand-in that answers so, and what became of it. */
const asked = (
  respond: (res: ServerResponse) => void,
  more: object = {},
  target: Partial<Target> = {},
  headers: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const server = yield* bedrock(account, respond)
    return yield* through(
      routed(target, awsAt(server.port)),
      Effect.gen(function* () {
        const got = yield* chat(more, headers)
        expect(yield* reservedTotal).toBe(0)
        return { got, call: (yield* calls)[0], received: server.received }
      })
    )
  })

const finishes = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/"finish_reason":"(\w+)"/g)].map(([, reason = ""]) => reason)

describe("a model of Bedrock by Converse", () => {
  for (const [caller, { body, headers, path }] of Object.entries(streams)) {
    it.live(`is asked by ${caller}: signed, framed and charged as Bedrock reports, however the frames are cut`, () =>
      Effect.gen(function* () {
        const bytes = Buffer.concat(whole)
        const server = yield* bedrock(account, (res, { url }) => {
          if (url.endsWith("/converse")) return json(res, 200, answer)
          res.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" })
          for (let at = 0; at < bytes.length; at += 7) res.write(bytes.subarray(at, at + 7))
          return res.end()
        })
        const wholePath = path.replace("streamGenerateContent", "generateContent").replace("?alt=sse", "")
        yield* through(
          routed({}, awsAt(server.port)),
          Effect.gen(function* () {
            const one = yield* ask(
              "POST",
              wholePath,
              headers,
              body("Why?", caller.startsWith("gemini") ? {} : { stream: false })
            )
            expect(one.status, one.text).toBe(200)
            expect(one.text).toContain("Because.")
            const other = yield* ask("POST", path, headers, body("Why?"))
            expect(other.text).toContain("rivers”.\\n")
            expect(other.text).not.toContain('"error":{')
            const settled = { state: "settled", cost_state: "settled", charged, input_tokens: 100, output_tokens: 10 }
            expect(yield* calls).toMatchObject([settled, settled])
            expect(yield* reservedTotal).toBe(0)
          })
        )
        const at = "/model/eu.amazon.nova-2-lite-v1%3A0"
        expect(server.received.map(({ url }) => url)).toEqual([`${at}/converse`, `${at}/converse-stream`])
        expect(server.received.map(({ headers }) => headers.accept)).toEqual([
          "application/json",
          "application/vnd.amazon.eventstream"
        ])
        for (const { body, headers } of server.received) {
          expect(JSON.parse(body)).toMatchObject({ messages: [{ role: "user", content: [{ text: "Why?" }] }] })
          expect(Object.keys(JSON.parse(body) as object)).not.toContain("stream")
          expect(Object.keys(JSON.parse(body) as object)).not.toContain("model")
          expect(JSON.stringify(headers)).not.toContain(key)
        }
      })
    )
  }

  it.live("is called by the gateway's ids, since Bedrock gives none", () =>
    Effect.gen(function* () {
      const { got } = yield* asked((res) => json(res, 200, answer))
      expect(got.json()).toMatchObject({ id: got.headers["x-request-id"], model: "sandbox" })
      const { got: other } = yield* asked((res) => streamed(res, ...whole), streaming)
      expect(other.text).toContain(`"id":"${other.headers["x-request-id"]}"`)
      expect(other.text).toContain('"model":"sandbox"')
    })
  )

  it.live("is charged what the cache saved and cost, and at the tier that served", () =>
    Effect.gen(function* () {
      const cached = { ...usage, cacheReadInputTokens: 1_000, cacheWriteInputTokens: 200 }
      // 100 at 3, 10 at 17, 1,000 at 0.5 and 200 at 5 USD per million.
      const expected = { charged: 1_970, input_tokens: 100, cache_read_tokens: 1_000, cache_write_tokens: 200 }
      const { call } = yield* asked((res) => json(res, 200, { ...answer, usage: cached }))
      expect(call).toMatchObject(expected)
      const last = framed([["metadata", { usage: cached, serviceTier: { type: "default" } }]])
      const { call: other, got } = yield* asked(
        (res) => streamed(res, ...framed([...text, ...stopped]), ...last),
        streaming
      )
      expect(other).toMatchObject({ ...expected, cost_state: "settled" })
      expect(got.text).toContain('"prompt_tokens":1300')
    })
  )

  it.live("has the limit that a cap pays for, if the caller names none", () =>
    Effect.gen(function* () {
      const { received } = yield* asked(
        (res) => json(res, 200, answer),
        { max_completion_tokens: undefined },
        {},
        { "x-tollgate-max-price-usd": "0.01" }
      )
      const { maxTokens } = (JSON.parse(received[0]?.body ?? "") as { inferenceConfig: { maxTokens: number } })
        .inferenceConfig
      // At 17 USD per million of output.
      expect(maxTokens).toBeGreaterThan(400)
      expect(maxTokens).toBeLessThanOrEqual(588)
    })
  )

  it.live("may be called with an API key", () =>
    Effect.gen(function* () {
      const server = yield* httpUpstream((res) => streamed(res, ...whole))
      const { credential, ...rest } = providerAt(server.port)
      const provider = {
        ...rest,
        credential: credential!,
        protocol: "converse",
        cloud: { kind: "aws", region: "eu-west-1" }
      } as const
      yield* through(
        routed({}, provider),
        Effect.gen(function* () {
          expect((yield* chat(streaming)).text).toContain("[DONE]")
        })
      )
      expect(server.received[0]?.headers.authorization).toBe("Bearer upstream-own-credential-0123456789")
    })
  )

  it.live("has the calls of tools, whole and in a stream, with input in pieces", () =>
    Effect.gen(function* () {
      const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }]
      const toolUse = { toolUseId: "tooluse_1", name: "look" }
      const content = [{ text: "So:" }, { toolUse: { ...toolUse, input: { at: "home" } } }]
      const { got } = yield* asked(
        (res) =>
          json(res, 200, { ...answer, stopReason: "tool_use", output: { message: { role: "assistant", content } } }),
        { tools }
      )
      const call = { id: "tooluse_1", type: "function", function: { name: "look", arguments: '{"at":"home"}' } }
      expect(got.json()).toMatchObject({ choices: [{ finish_reason: "tool_calls", message: { tool_calls: [call] } }] })
      const pieces: Frames = [
        ...text,
        ["contentBlockStart", { contentBlockIndex: 1, start: { toolUse } }],
        ["contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input: "" } } }],
        ["contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input: '{"at":"' } } }],
        ["contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input: 'home"}' } } }],
        ["contentBlockStop", { contentBlockIndex: 1 }],
        ["messageStop", { stopReason: "tool_use" }],
        ...metadata
      ]
      const { got: other } = yield* asked((res) => streamed(res, ...framed(pieces)), { tools, ...streaming })
      const written = [...other.text.matchAll(/"arguments":"((?:\\.|[^"\\])*)"/g)].map(([, text = ""]) => text).join("")
      expect([written, finishes(other.text)]).toEqual(['{\\"at\\":\\"home\\"}', ["tool_calls"]])
    })
  )

  it.live("drops cache marks for models that refuse them, and refuses what it has no words for", () =>
    Effect.gen(function* () {
      const server = yield* bedrock(account, (res) => json(res, 200, answer))
      const content = [{ type: "text", text: "Why?", cache_control: { type: "ephemeral" } }]
      const messages = [{ role: "user", content }]
      yield* through(
        routed({ model: "us.meta.llama4-scout-17b-instruct-v1:0" }, awsAt(server.port)),
        Effect.gen(function* () {
          const dropped = yield* chat({ messages })
          expect([dropped.status, dropped.headers["x-tollgate-dropped"]]).toEqual([200, "cache marks"])
          const refused = yield* chat({ seed: 7 })
          expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("the protocol converse")])
          // What nobody can see through might lift the limit that the price goes by.
          const opaque = yield* chat({ additionalModelRequestFields: { inferenceConfig: { maxTokens: 100_000 } } })
          expect(opaque.status).toBe(400)
        })
      )
      expect(server.received).toHaveLength(1)
      expect(server.received[0]?.body).not.toContain("cachePoint")
      yield* through(routed({}, awsAt(server.port)), chat({ messages }))
      expect(server.received[1]?.body).toContain('{"text":"Why?"},{"cachePoint":{"type":"default"}}')
    })
  )
})

const late = (name: string) => exceptionFrame(name, "It broke.")

describe("a stream of Converse", () => {
  const cut = Buffer.concat(framed(text))
  const damaged = () => {
    const [bad] = framed(stopped)
    bad![40]! ^= 1
    return bad!
  }
  for (const [what, frames] of [
    ["ends within a frame", () => [cut, whole.at(-2)!.subarray(0, 50)]],
    ["ends between frames before its stop reason", () => [cut]],
    ["has a frame with a wrong checksum", () => [cut, damaged(), ...framed(metadata)]],
    ["has a frame that is longer than events may be", () => [cut, frame(new Uint8Array(), new Uint8Array(3_000_000))]],
    [
      "has a frame that is not JSON",
      () => [
        cut,
        frame({ ":message-type": "event", ":event-type": "messageStop" }, Buffer.from("{")),
        ...whole.slice(-2)
      ]
    ],
    ["has an internalServerException", () => [cut, late("internalServerException")]],
    ["has a modelStreamErrorException", () => [cut, late("modelStreamErrorException")]],
    ["has an exception after its stop reason", () => [cut, ...framed(stopped), late("internalServerException")]],
    [
      "has input of a call that never began",
      () => [
        cut,
        ...framed([
          ["contentBlockDelta", { contentBlockIndex: 3, delta: { toolUse: { input: "{}" } } }],
          ...stopped,
          ...metadata
        ])
      ]
    ]
  ] as const) {
    it.live(`that ${what} is an error, never a stop`, () =>
      Effect.gen(function* () {
        const { call, got } = yield* asked((res) => streamed(res, ...frames()), streaming)
        expect(got.text).toContain("Because")
        expect(got.text).toContain('"error":{')
        expect([finishes(got.text), got.text.includes("[DONE]")]).toEqual([[], false])
        // What was delivered is paid for, but nothing says that it is all.
        expect(call).toMatchObject({ state: "settled" })
        expect(call?.charged).toBeGreaterThan(0)
      })
    )
  }

  it.live("without a report of its usage is whole, and not free: it is estimated", () =>
    Effect.gen(function* () {
      const { call, got } = yield* asked((res) => streamed(res, cut, ...framed(stopped)), streaming)
      expect([finishes(got.text), got.text.includes("[DONE]")]).toEqual([["stop"], true])
      expect(call).toMatchObject({ state: "settled", cost_state: "estimated" })
      expect(call?.charged).toBeGreaterThan(0)
    })
  )

  it.live("whose report is impossible is estimated, whole and streamed", () =>
    Effect.gen(function* () {
      const bad = { ...usage, outputTokens: -10 }
      const last = framed([["metadata", { usage: bad }]])
      for (const { call } of [
        yield* asked((res) => streamed(res, cut, ...framed(stopped), ...last), streaming),
        yield* asked((res) => json(res, 200, { ...answer, usage: bad })),
        yield* asked((res) => json(res, 200, { ...answer, usage: undefined }))
      ]) {
        expect(call).toMatchObject({ state: "settled", cost_state: "estimated" })
        expect(call?.charged).toBeGreaterThan(0)
      }
    })
  )

  it.live("passes over frames and blocks that nobody knows", () =>
    Effect.gen(function* () {
      const odd: Frames = [
        ["contentBlockStart", { contentBlockIndex: 1, start: { image: { format: "png" } } }],
        ["contentBlockDelta", { contentBlockIndex: 1, delta: { image: { source: { bytes: "iVBO" } } } }],
        ["contentBlockStop", { contentBlockIndex: 1 }],
        ["fromTheFuture", { text: "?" }],
        ["initial-response", {}]
      ]
      const { call, got } = yield* asked(
        (res) => streamed(res, ...framed([...text, ...odd, ...stopped, ...metadata])),
        streaming
      )
      expect(finishes(got.text)).toEqual(["stop"])
      expect(call).toMatchObject({ charged, cost_state: "settled" })
    })
  )

  it.live("has broken JSON of a tool as it was written, and is charged", () =>
    Effect.gen(function* () {
      const broken: Frames = [
        ["messageStart", { role: "assistant" }],
        ["contentBlockStart", { contentBlockIndex: 0, start: { toolUse: { toolUseId: "a", name: "look" } } }],
        ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: '{"at":"ho' } } }],
        ["contentBlockStop", { contentBlockIndex: 0 }],
        ["messageStop", { stopReason: "max_tokens" }],
        ...metadata
      ]
      const { call, got } = yield* asked((res) => streamed(res, ...framed(broken)), streaming)
      expect([got.text.includes('{\\"at\\":\\"ho'), finishes(got.text)]).toEqual([true, ["length"]])
      expect(call).toMatchObject({ charged, cost_state: "settled" })
    })
  )

  it.live("that begins with an exception of the service is a whole answer with its status, and costs nothing", () =>
    Effect.gen(function* () {
      for (const [name, status] of [
        ["throttlingException", 429],
        ["validationException", 400],
        ["serviceUnavailableException", 529]
      ] as const) {
        const { call, got } = yield* asked((res) => streamed(res, late(name)), streaming)
        expect([got.status, call?.charged], got.text).toEqual([status, 0])
      }
    })
  )
})

describe("an error of Converse", () => {
  const refused = (status: number, name: string, message: string) => (res: ServerResponse) =>
    json(res, status, { message }, { "x-amzn-errortype": `${name}:http://internal.amazon.com/coral/` })

  it.live("has the caller's shape and Bedrock's words", () =>
    Effect.gen(function* () {
      const { call, got } = yield* asked(
        refused(400, "ValidationException", "The provided model identifier is invalid.")
      )
      expect([got.status, got.json()]).toEqual([
        400,
        {
          error: {
            message: "The provided model identifier is invalid.",
            type: "invalid_request_error",
            param: null,
            code: "invalid_request_error"
          }
        }
      ])
      expect(call).toMatchObject({ charged: 0 })
    })
  )

  it.live("says that a limit was reached, or that Bedrock is overloaded, and the next upstream is tried", () =>
    Effect.gen(function* () {
      for (const respond of [
        refused(429, "ThrottlingException", "Too many tokens, please wait before trying again."),
        refused(503, "ServiceUnavailableException", "Bedrock is unable to process your request."),
        (res: ServerResponse) => streamed(res, late("throttlingException"))
      ]) {
        const first = yield* bedrock(account, respond)
        const second = yield* bedrock(account, (res) => json(res, 200, answer))
        yield* through(
          routed({}, awsAt(first.port), awsAt(second.port, { name: "second" })),
          Effect.gen(function* () {
            expect((yield* chat()).status).toBe(200)
            expect(yield* only).toMatchObject({ charged })
          })
        )
        expect([first.received.length, second.received.length]).toEqual([1, 1])
      }
    })
  )

  it.live("of the model itself proves nothing, so that nothing else is tried", () =>
    Effect.gen(function* () {
      for (const [respond, more] of [
        [refused(408, "ModelTimeoutException", "The model took too long."), {}],
        [refused(424, "ModelErrorException", "The model failed."), {}],
        [refused(500, "InternalServerException", "It broke."), {}],
        [(res: ServerResponse) => streamed(res, late("modelTimeoutException")), streaming]
      ] as const) {
        const first = yield* bedrock(account, respond)
        const second = yield* bedrock(account, (res) => json(res, 200, answer))
        yield* through(
          routed({}, awsAt(first.port), awsAt(second.port, { name: "second" })),
          Effect.gen(function* () {
            const got = yield* chat(more)
            expect(got.status === 200 ? got.text : String(got.status)).toMatch(/"error":\{|^50/)
            expect(yield* only).toMatchObject({ charged: 0 })
          })
        )
        expect([first.received.length, second.received.length]).toEqual([1, 0])
      }
    })
  )

  it.live("says that the prompt is too long, for a fallback that reads more", () =>
    Effect.gen(function* () {
      const first = yield* bedrock(
        account,
        refused(400, "ValidationException", "Input is too long for requested model.")
      )
      const second = yield* bedrock(account, (res) => json(res, 200, answer))
      const routes = routed({}, awsAt(first.port)).map((route) => ({
        ...route,
        fallback: [{ provider: awsAt(second.port, { name: "second" }), model, weight: 0, when: ["too_long"] as const }]
      }))
      yield* through(
        routes,
        Effect.gen(function* () {
          expect((yield* chat()).status).toBe(200)
        })
      )
      expect([first.received.length, second.received.length]).toEqual([1, 1])
    })
  )
})
