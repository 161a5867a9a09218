import { describe, expect, it } from "@effect/vitest"
import { Host, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { chunkFrame, exceptionFrame, frame } from "@tollgate/testing/cloud/frames"
import { bedrock, inCloud, json, secretIn } from "@tollgate/testing/cloud/standIns"
import { calls, priced, reservedTotal, streams } from "@tollgate/testing/models"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import type { Provider } from "@tollgate/gateway/upstream/Provider"
import type { Route } from "@tollgate/gateway/upstream/Route"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { ServerResponse } from "node:http"

const account = { AccessKeyId: "AKIDBEDROCK", SecretAccessKey: "the/Secret+Key", SessionToken: "a-session-token/+=" }
const model = "eu.anthropic.claude-sonnet-5-v1:0"

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-5",
  content: [{ type: "text", text: "Because." }],
  stop_reason: "end_turn",
  usage: { input_tokens: 100, output_tokens: 10 }
}

const events = [
  {
    type: "message_start",
    message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 100, output_tokens: 1 } }
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Because — of “rivers”.\n" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 10 } },
  { type: "message_stop", "amazon-bedrock-invocationMetrics": { inputTokenCount: 100, outputTokenCount: 10 } }
]

/** 100 tokens at 3 USD and 10 at 17 USD per million. */
const charged = 470

const streamed = (res: ServerResponse, ...frames: ReadonlyArray<Uint8Array>) =>
  res.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" }).end(Buffer.concat(frames))

const awsAt = (port: number, source = secretIn(JSON.stringify(account)).source, more: Partial<Provider> = {}) =>
  inCloud(port, "anthropic", { kind: "aws", region: "eu-west-1", secret: source }, more)

const routed = (...providers: ReadonlyArray<Provider>): ReadonlyArray<Route> => [
  {
    operation: "messages",
    model: "sandbox",
    to: providers.map((provider) => ({ provider, model, weight: 1e6 ** -providers.indexOf(provider) }))
  }
]

const through = <A, E>(routes: ReadonlyArray<Route>, effect: Effect.Effect<A, E, Host | TestGateway>) =>
  Effect.provide(effect, Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ routes, operations: priced }))))

const { body, headers, path } = streams.anthropic
const whole = (more: object = {}, headersToo: Readonly<Record<string, string>> = {}) =>
  ask("POST", path, { ...headers, ...headersToo }, body("Why?", { stream: false, ...more }))
const stream = ask("POST", path, headers, body("Why?"))

const only = Effect.map(calls, (all) => {
  expect(all).toHaveLength(1)
  return all[0]!
})

describe("Anthropic's protocol on Bedrock", () => {
  it.live("is signed, named and shaped as InvokeModel wants it, and charged as usual", () =>
    Effect.gen(function* () {
      const server = yield* bedrock(account, (res) => json(res, 200, message))
      yield* through(
        routed(awsAt(server.port)),
        Effect.gen(function* () {
          const answer = yield* whole(
            {},
            {
              "anthropic-beta": "one-2026, two-2026",
              "anthropic-version": "2023-06-01"
            }
          )
          expect([answer.status, answer.json()]).toEqual([200, message])
          expect(yield* only).toMatchObject({ state: "settled", charged })
        })
      )
      const [received, ...others] = server.received
      expect([others, received?.method]).toEqual([[], "POST"])
      expect(received?.url).toBe("/model/eu.anthropic.claude-sonnet-5-v1%3A0/invoke")
      expect(received?.headers).not.toHaveProperty("anthropic-version")
      expect(received?.headers).not.toHaveProperty("anthropic-beta")
      expect(received?.headers).not.toHaveProperty("x-api-key")
      const sent = JSON.parse(received?.body ?? "") as Record<string, unknown>
      expect(sent).toMatchObject({
        anthropic_version: "bedrock-2023-05-31",
        anthropic_beta: ["one-2026", "two-2026"],
        max_tokens: 500
      })
      expect(Object.keys(sent)).not.toContain("model")
      expect(Object.keys(sent)).not.toContain("stream")
    })
  )

  it.live("keeps the other bytes of the body as the caller wrote them", () =>
    Effect.gen(function* () {
      const server = yield* bedrock(account, (res) => json(res, 200, message))
      const text =
        '{ "max_tokens":500,"stream" : false, "x":12345678901234567890,"model":"sandbox" , "messages":[{"role":"user","content":"\\u0041  "}]}'
      yield* through(routed(awsAt(server.port)), ask("POST", `${path}?beta=true`, headers, text))
      expect(server.received[0]?.body).toBe(
        '{ "max_tokens":500,"x":12345678901234567890,"messages":[{"role":"user","content":"\\u0041  "}],"anthropic_version":"bedrock-2023-05-31"}'
      )
      expect(server.received[0]?.url).not.toContain("?")
    })
  )

  it.live("streams frames as Anthropic's events, metered by the usual meter, however they are cut", () =>
    Effect.gen(function* () {
      const bytes = Buffer.concat(events.map(chunkFrame))
      const server = yield* bedrock(account, (res) => {
        res.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" })
        const send = (at: number): unknown => {
          if (at >= bytes.length) return res.end()
          res.write(bytes.subarray(at, at + 97))
          return setImmediate(() => send(at + 97))
        }
        send(0)
      })
      yield* through(
        routed(awsAt(server.port)),
        Effect.gen(function* () {
          const answer = yield* stream
          expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/event-stream"])
          const own = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")
          expect(answer.text).toBe(`${own}: cost_micros_usd=${charged} cost_state=settled\n\n`)
          expect(yield* only).toMatchObject({ state: "settled", charged, input_tokens: 100, output_tokens: 10 })
          expect(yield* reservedTotal).toBe(0)
        })
      )
      expect(server.received[0]?.url).toBe("/model/eu.anthropic.claude-sonnet-5-v1%3A0/invoke-with-response-stream")
    })
  )

  const cut = Buffer.concat(events.slice(0, 4).map(chunkFrame))
  const damaged = () => {
    const frame = chunkFrame(events[4])
    frame[40]! ^= 1
    return frame
  }
  for (const [what, frames] of [
    ["ends within a frame", () => [cut, chunkFrame(events[4]).subarray(0, 50)]],
    ["ends between frames before the last event", () => [cut]],
    ["has a frame with a wrong checksum", () => [cut, damaged(), ...events.slice(4).map(chunkFrame)]],
    ["has a frame that is longer than events may be", () => [cut, frame(new Uint8Array(), new Uint8Array(3_000_000))]]
  ] as const) {
    it.live(`that ${what} is an error, not an end`, () =>
      Effect.gen(function* () {
        const server = yield* bedrock(account, (res) => streamed(res, ...frames()))
        yield* through(
          routed(awsAt(server.port)),
          Effect.gen(function* () {
            const answer = yield* stream
            expect(answer.text).toContain("Because")
            expect(answer.text).toContain("event: error")
            expect(answer.text).not.toContain("message_stop")
            expect((yield* only).cost_state).not.toBe("settled")
            expect(yield* reservedTotal).toBe(0)
          })
        )
      })
    )
  }

  it.live("that has an exception in mid-stream is an error with its words", () =>
    Effect.gen(function* () {
      const late = exceptionFrame("modelStreamErrorException", "The model failed.")
      const server = yield* bedrock(account, (res) => streamed(res, cut, late))
      yield* through(
        routed(awsAt(server.port)),
        Effect.gen(function* () {
          const answer = yield* stream
          expect(answer.text).toContain(
            'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"The model failed."}}'
          )
          expect(answer.text).not.toContain("message_stop")
          expect((yield* only).cost_state).not.toBe("settled")
        })
      )
    })
  )

  it.live("that begins with an exception of the service is a whole answer with its status, and costs nothing", () =>
    Effect.gen(function* () {
      const server = yield* bedrock(account, (res) =>
        streamed(res, exceptionFrame("throttlingException", "Too many tokens."))
      )
      yield* through(
        routed(awsAt(server.port)),
        Effect.gen(function* () {
          const answer = yield* stream
          expect([answer.status, answer.json()]).toMatchObject([
            429,
            { type: "error", error: { type: "rate_limit_error" } }
          ])
          expect(yield* only).toMatchObject({ charged: 0 })
          expect(yield* reservedTotal).toBe(0)
        })
      )
    })
  )

  it.live("that begins with an exception of the model is not tried elsewhere, because it may have run", () =>
    Effect.gen(function* () {
      const server = yield* bedrock(account, (res) =>
        streamed(res, exceptionFrame("modelTimeoutException", "Too slow."))
      )
      const second = yield* bedrock(account, (res) => streamed(res, ...events.map(chunkFrame)))
      yield* through(routed(awsAt(server.port), awsAt(second.port, undefined, { name: "second" })), stream)
      expect([server.received.length, second.received.length]).toEqual([1, 0])
    })
  )

  it.live("has errors in Anthropic's shape", () =>
    Effect.gen(function* () {
      const server = yield* bedrock(account, (res) =>
        json(res, 400, { message: "max_tokens: too many" }, { "x-amzn-errortype": "ValidationException" })
      )
      const answer = yield* through(routed(awsAt(server.port)), whole())
      expect([answer.status, answer.json()]).toEqual([
        400,
        { type: "error", error: { type: "invalid_request_error", message: "max_tokens: too many" } }
      ])
    })
  )

  it.live("refuses to count tokens, and says so", () =>
    Effect.gen(function* () {
      const server = yield* bedrock(account, (res) => json(res, 200, message))
      const answer = yield* through(
        routed(awsAt(server.port)),
        ask("POST", "/v1/messages/count_tokens", headers, body("Why?", { stream: false }))
      )
      expect([answer.status, server.received.length]).toEqual([400, 0])
      expect(answer.text).toContain("does not offer messages.count_tokens")
    })
  )
})

describe("the credential of Bedrock", () => {
  it.live("is read again if it is refused, and the call is sent once more", () =>
    Effect.gen(function* () {
      const server = yield* bedrock(account, (res) => json(res, 200, message))
      const { file, source } = secretIn(JSON.stringify(account))
      yield* through(
        routed(awsAt(server.port, source)),
        Effect.gen(function* () {
          expect((yield* whole()).status).toBe(200)
          const next = { ...account, AccessKeyId: "AKIDNEXT", SessionToken: "next-session" }
          server.state.account = next
          file.text = JSON.stringify(next)
          const answers = yield* Effect.all([whole(), whole(), whole()], { concurrency: 3 })
          expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
          expect(file.reads).toBe(2)
        })
      )
    })
  )

  it.live(
    "that stays refused is the operator's fault: 503, nothing charged, no secret, and the next upstream is tried",
    () =>
      Effect.gen(function* () {
        const server = yield* bedrock({ ...account, SecretAccessKey: "another" }, (res) => json(res, 200, message))
        const other = yield* httpUpstream((res) => json(res, 200, message))
        yield* through(
          routed(awsAt(server.port)),
          Effect.gen(function* () {
            const answer = yield* whole()
            expect([answer.status, (answer.json() as { error: { type: string } }).error.type]).toEqual([
              503,
              "overloaded_error"
            ])
            for (const secret of Object.values(account)) expect(answer.text).not.toContain(secret)
            expect(yield* only).toMatchObject({ charged: 0 })
            expect(server.received).toHaveLength(1)
          })
        )
        yield* through(
          routed(awsAt(server.port), { ...providerAt(other.port), protocol: "anthropic" }),
          Effect.gen(function* () {
            expect((yield* whole()).status).toBe(200)
          })
        )
      })
  )

  it.live("that is refused because of a wrong clock says so to the operator", () =>
    Effect.gen(function* () {
      const server = yield* bedrock(account, (res) => json(res, 200, message))
      server.state.now = () => Date.now() - 3_600_000
      const lines: Array<unknown> = []
      const logger = Logger.make<unknown, void>(({ message }) => void lines.push(message))
      yield* through(
        routed(awsAt(server.port)),
        Effect.gen(function* () {
          expect((yield* whole()).status).toBe(503)
        })
      ).pipe(Effect.provide(Logger.layer([logger])))
      expect(JSON.stringify(lines)).toMatch(/this machine's clock is wrong.*"secondsAhead":(?:3600|3599|3601)/)
    })
  )

  it.live("that cannot be read is not sent: 503, and a stream's caller gets no half answer", () =>
    Effect.gen(function* () {
      const server = yield* bedrock(account, (res) => json(res, 200, message))
      for (const text of ["", "{}", '{"AccessKeyId":"a\\r\\nb","SecretAccessKey":"c"}']) {
        const answer = yield* through(routed(awsAt(server.port, secretIn(text).source)), stream)
        expect(answer.status).toBe(503)
        expect(answer.text).toContain("nothing was executed")
      }
      expect(server.received).toHaveLength(0)
    })
  )

  it.live("may be an API key, which is sent as it is", () =>
    Effect.gen(function* () {
      const server = yield* httpUpstream((res) => streamed(res, ...events.map(chunkFrame)))
      const { credential, ...rest } = providerAt(server.port)
      const provider: Provider = {
        ...rest,
        credential: credential!,
        protocol: "anthropic",
        cloud: { kind: "aws", region: "eu-west-1" }
      }
      const answer = yield* through(routed(provider), stream)
      expect(answer.text).toContain("message_stop")
      expect(server.received[0]?.headers.authorization).toBe("Bearer upstream-own-credential-0123456789")
    })
  )
})

describe("OpenAI's protocol on Bedrock", () => {
  it.live("is signed alike, below /openai", () =>
    Effect.gen(function* () {
      const completion = {
        id: "c1",
        model: "sandbox",
        choices: [{ index: 0, message: { role: "assistant", content: "Because." }, finish_reason: "stop" }],
        usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
      }
      const server = yield* bedrock(account, (res) => json(res, 200, completion))
      const provider = { ...awsAt(server.port), protocol: "openai" }
      const routes = [{ operation: "chat.completions", to: [{ provider, model: "openai.gpt-oss-120b", weight: 1 }] }]
      const { body, headers, path } = streams.openai
      yield* through(
        routes,
        Effect.gen(function* () {
          const answer = yield* ask("POST", `${path}?x=1`, headers, body("Why?", { stream: false }))
          expect(answer.status).toBe(200)
          expect(yield* only).toMatchObject({ state: "settled", charged })
        })
      )
      expect(server.received[0]?.url).toBe("/openai/v1/chat/completions")
      expect(JSON.parse(server.received[0]?.body ?? "")).toMatchObject({ model: "openai.gpt-oss-120b" })
    })
  )
})

describe("another protocol, translated for Bedrock", () => {
  it.live("is signed, framed and charged as Anthropic's own", () =>
    Effect.gen(function* () {
      const server = yield* bedrock(account, (res, { url }) =>
        url.endsWith("/invoke") ? json(res, 200, message) : streamed(res, ...events.map(chunkFrame))
      )
      const { body, headers, path } = streams.openai
      const to = [{ provider: awsAt(server.port), model, weight: 1 }]
      yield* through(
        [{ operation: "chat.completions", model: "sandbox", to }],
        Effect.gen(function* () {
          const answer = yield* ask("POST", path, headers, body("Why?", { stream: false }))
          expect([answer.status, answer.json()]).toMatchObject([
            200,
            { choices: [{ message: { content: "Because." } }] }
          ])
          expect((yield* ask("POST", path, headers, body("Why?"))).text).toContain("[DONE]")
          const settled = { state: "settled", charged, input_tokens: 100, output_tokens: 10 }
          expect(yield* calls).toMatchObject([settled, settled])
        })
      )
      const at = "/model/eu.anthropic.claude-sonnet-5-v1%3A0"
      expect(server.received.map(({ url }) => url)).toEqual([`${at}/invoke`, `${at}/invoke-with-response-stream`])
      expect(JSON.parse(server.received[1]?.body ?? "")).toMatchObject({ anthropic_version: "bedrock-2023-05-31" })
    })
  )
})
