import { describe, expect, it } from "@effect/vitest"
import { closedPort, httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, vi } from "vitest"
import { folder, removeFolders } from "../program.ts"
import { tollgate } from "../tollgate.ts"

afterAll(removeFolders)

const secret = "sk-a-secret-of-the-operator-0123456789"

const chatAnswer = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "small-1",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "OK." } }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 }
}

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-small",
  content: [{ type: "text", text: "OK." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 11, output_tokens: 3 }
}

type Answer = Parameters<typeof httpUpstream>[0]

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (res) =>
    res.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

const upstreamAt = (port: number, protocol: string, more: object = {}) => ({
  baseUrl: `http://127.0.0.1:${port}`,
  protocol,
  private: true,
  credential: { env: "UP_KEY" },
  ...more
})

const written = (config: object): string => {
  const path = join(folder(), "tollgate.jsonc")
  writeFileSync(path, JSON.stringify(config))
  return path
}

/** Runs the command, and gathers what it prints to standard error before its end too. */
const routes = (config: object, ...words: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    let warned = ""
    const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => ((warned += String(text)), true))
    try {
      const file = written(config)
      const ran = await tollgate({ TOLLGATE_DATA: folder(), UP_KEY: secret }, "routes", ...words, "--config", file)
      return { ...ran, warned }
    } finally {
      spy.mockRestore()
    }
  })

const tested = (stdout: string) => JSON.parse(stdout) as ReadonlyArray<Readonly<Record<string, unknown>>>

const prices = { models: { small: { input: "3", output: "15" } } }

/** One upstream that answers so, reached by chat completions. */
const oneTarget = (port: number, more: object = {}) => ({
  upstreams: { only: upstreamAt(port, "openai", more) },
  routes: [{ operation: "chat.completions", model: "small", to: [{ upstream: "only" }] }],
  prices
})

describe("routes test", () => {
  it.live("asks each target once in its own protocol, with its credential, and says what it cost", () =>
    Effect.gen(function* () {
      const openai = yield* httpUpstream(json(200, chatAnswer))
      const claude = yield* httpUpstream(json(200, message))
      const to = [
        { upstream: "openai", model: "small-1" },
        { upstream: "claude", model: "claude-small" }
      ]
      const ran = yield* routes(
        {
          upstreams: {
            openai: upstreamAt(openai.port, "openai", {
              outputLimit: "max_tokens",
              prices: { models: { "small-1": { input: "1", output: "2" } } }
            }),
            claude: upstreamAt(claude.port, "anthropic")
          },
          routes: [
            { operation: "chat.completions", model: "small", to },
            { operation: "messages", model: "small", to }
          ],
          prices
        },
        "test",
        "small",
        "--json"
      )
      expect([ran.code, ran.warned]).toEqual([
        0,
        "This sends a small call to each of these, which may cost money: openai, claude\n"
      ])
      expect(tested(ran.stdout)).toEqual([
        {
          upstream: "openai",
          model: "small-1",
          protocol: "openai",
          operation: "chat.completions",
          status: 200,
          milliseconds: expect.any(Number),
          input_tokens: 10,
          output_tokens: 2,
          upstream_usd: "0.000014",
          list_usd: "0.00006",
          problem: null
        },
        {
          upstream: "claude",
          model: "claude-small",
          protocol: "anthropic",
          operation: "chat.completions",
          status: 200,
          milliseconds: expect.any(Number),
          input_tokens: 11,
          output_tokens: 3,
          upstream_usd: null,
          list_usd: "0.000078",
          problem: null
        }
      ])
      const [chat] = openai.received
      expect([openai.received.length, chat?.method, chat?.url, chat?.headers.authorization]).toEqual([
        1,
        "POST",
        "/v1/chat/completions",
        `Bearer ${secret}`
      ])
      expect(JSON.parse(chat?.body ?? "")).toEqual({
        model: "small-1",
        messages: [{ role: "user", content: "Say OK." }],
        max_tokens: 16
      })
      const [asked] = claude.received
      expect([claude.received.length, asked?.url, asked?.headers["x-api-key"]]).toEqual([1, "/v1/messages", secret])
      expect(asked?.headers["anthropic-version"]).toBe("2023-06-01")
      expect(JSON.parse(asked?.body ?? "")).toEqual({
        model: "claude-small",
        max_tokens: 16,
        messages: [{ role: "user", content: "Say OK." }]
      })
    })
  )

  it.live("asks a model of Bedrock by Converse", () =>
    Effect.gen(function* () {
      const output = { message: { role: "assistant", content: [{ text: "OK." }] } }
      const usage = { inputTokens: 12, outputTokens: 4, totalTokens: 16 }
      const bedrock = yield* httpUpstream(json(200, { output, stopReason: "end_turn", usage }))
      const target = { upstream: "bedrock", model: "eu.amazon.nova-2-lite-v1:0" }
      const config = {
        upstreams: { bedrock: upstreamAt(bedrock.port, "bedrock", { cloud: { aws: { region: "eu-west-1" } } }) },
        routes: [{ model: "small", to: [target] }],
        prices
      }
      const ran = yield* routes(config, "test", "small", "--json")
      expect(tested(ran.stdout)).toMatchObject([
        { model: target.model, protocol: "converse", status: 200, input_tokens: 12, output_tokens: 4, problem: null }
      ])
      const [asked, ...others] = bedrock.received
      expect([others, asked?.url, asked?.headers.authorization]).toEqual([
        [],
        "/model/eu.amazon.nova-2-lite-v1%3A0/converse",
        `Bearer ${secret}`
      ])
      expect(JSON.parse(asked?.body ?? "")).toEqual({
        messages: [{ role: "user", content: [{ text: "Say OK." }] }],
        inferenceConfig: { maxTokens: 16 }
      })
      const listed = yield* routes(config, "list", "small", "--json")
      expect(tested(listed.stdout)).toContainEqual(
        expect.objectContaining({ operation: "messages", protocol: "converse", translated: true })
      )
    })
  )

  it.live.each<readonly [number, object, string]>([
    [401, { error: { message: `No such key: ${secret}`, code: "invalid_api_key" } }, "No such key: [redacted]"],
    [429, { error: { message: "You exceeded your quota" } }, "You exceeded your quota"],
    [404, { error: { message: "The model small does not exist" } }, "The model small does not exist"],
    [500, { error: { message: `at ${secret.toUpperCase()}` } }, "at [redacted]"]
  ])("an upstream's %i is shown in its own words, without the credential", ([status, body, words]) =>
    Effect.gen(function* () {
      const up = yield* httpUpstream(json(status, body))
      const { code, stderr, stdout } = yield* routes(oneTarget(up.port), "test", "small", "--json")
      expect([code, stderr]).toEqual([1, "1 of 1 failed.\n"])
      expect(tested(stdout)).toMatchObject([{ status, input_tokens: null, list_usd: null, problem: words }])
      expect(stdout + stderr).not.toMatch(new RegExp(secret, "i"))
      expect(up.received.length).toBe(1)
    })
  )

  it.live("a credential that is spelled with escapes is not shown either", () =>
    Effect.gen(function* () {
      const escapes = [...secret].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
      const up = yield* httpUpstream((res) => res.writeHead(403).end(`{"error":{"message":"Not ${escapes}!"}}`))
      const { stdout } = yield* routes(oneTarget(up.port), "test", "small", "--json")
      expect(tested(stdout)).toMatchObject([{ status: 403, problem: "Not [redacted]!" }])
    })
  )

  it.live.each<readonly [string, Answer, number | null, RegExp]>([
    ["a page", (res) => res.writeHead(200, { "content-type": "text/html" }).end("<h1>Hi</h1>"), 200, /proves no cost/],
    ["no choices", json(200, { ...chatAnswer, choices: undefined, usage: undefined }), 200, /proves no cost/],
    ["a redirect", json(302, {}, { location: "http://127.0.0.1:1/" }), 302, /redirect, which is not followed/],
    ["half an answer", (res) => (res.writeHead(200, { "content-length": "500" }).write("{"), res.destroy()), null, /./],
    ["nothing", (res) => res.destroy(), null, /./],
    [
      "a long page of others",
      (res) => res.writeHead(503, { "content-type": "text/html" }).end(`\u001b[2J${"x".repeat(5_000)}`),
      503,
      /^.{300}$/s
    ],
    [
      "a stream that was not asked for",
      (res) =>
        res
          .writeHead(200, { "content-type": "text/event-stream" })
          .write('data: {"id":"c","choices":[{"index":0,"delta":{"content":"O"}}]}\n\n'),
      200,
      /stream/
    ]
  ])("an upstream that answers with %s has failed", ([, answer, status, problem]) =>
    Effect.gen(function* () {
      const up = yield* httpUpstream(answer)
      const { code, stdout } = yield* routes(oneTarget(up.port), "test", "small", "--json")
      expect(code).toBe(1)
      expect(tested(stdout)).toMatchObject([{ status, problem: expect.stringMatching(problem) }])
      expect(up.received.length).toBe(1)
    })
  )

  it.live("one target that fails does not hide another, and what commands a terminal is not printed", () =>
    Effect.gen(function* () {
      const good = yield* httpUpstream(json(200, chatAnswer))
      const rude = yield* httpUpstream(json(400, { error: { message: "\u001b[2Jbad\nnews" } }))
      const gone = yield* closedPort
      const { code, stderr, stdout } = yield* routes(
        {
          upstreams: {
            good: upstreamAt(good.port, "openai"),
            rude: upstreamAt(rude.port, "openai"),
            gone: upstreamAt(gone, "openai")
          },
          routes: [
            {
              operation: "chat.completions",
              model: "sm*",
              to: [{ upstream: "good" }, { upstream: "rude" }, { upstream: "gone" }]
            }
          ],
          prices
        },
        "test",
        "small"
      )
      expect([code, stderr]).toEqual([1, "2 of 3 failed.\n"])
      const [, first, second, third] = stdout.split("\n")
      expect(first).toMatch(/^chat\.completions +good +small +openai +200 +\d+ +10 +2 +none +0.00006 +none$/)
      expect(second).toMatch(/^chat\.completions +rude +small +openai +400 +\d+ .* \[2Jbad news$/)
      expect(third).toMatch(/^chat\.completions +gone +small +openai +none +\d+ .* The upstream could not be reached/)
      expect(stdout).not.toContain("\u001b")
    })
  )

  it.live("a model without a price is still tried", () =>
    Effect.gen(function* () {
      const up = yield* httpUpstream(json(200, chatAnswer))
      const { code, stdout } = yield* routes({ ...oneTarget(up.port), prices: {} }, "test", "small", "--json")
      expect(code).toBe(0)
      expect(tested(stdout)).toMatchObject([{ status: 200, list_usd: null, problem: null }])
    })
  )

  it.live("a model whose name is in the path is asked for there, and each answer of a stream's operation whole", () =>
    Effect.gen(function* () {
      const candidates = [{ index: 0, finishReason: "STOP", content: { role: "model", parts: [{ text: "OK." }] } }]
      const usageMetadata = { promptTokenCount: 4, candidatesTokenCount: 2, thoughtsTokenCount: 5, totalTokenCount: 11 }
      const gemini = yield* httpUpstream(json(200, { candidates, usageMetadata, modelVersion: "gem/small" }))
      const to = [{ upstream: "gemini", model: "gem/small" }]
      const config = {
        upstreams: { gemini: upstreamAt(gemini.port, "gemini") },
        routes: [{ operation: "models.stream_generate_content", model: "small", to }],
        prices
      }
      const { code, stdout } = yield* routes(config, "test", "small", "--json")
      expect([code, tested(stdout)]).toMatchObject([0, [{ input_tokens: 4, output_tokens: 7, list_usd: "0.000117" }]])
      const [asked] = gemini.received
      expect([asked?.url, asked?.headers["x-goog-api-key"]]).toEqual([
        "/v1beta/models/gem%2Fsmall:generateContent",
        secret
      ])
      expect(JSON.parse(asked?.body ?? "")).toEqual({
        contents: [{ role: "user", parts: [{ text: "Say OK." }] }],
        generationConfig: { maxOutputTokens: 16 }
      })
    })
  )

  it.live("the sandbox answers in this process, in each protocol and without a warning", () =>
    Effect.gen(function* () {
      const ran = yield* routes({ sandbox: true }, "test", "sandbox", "--json")
      expect([ran.code, ran.warned]).toEqual([0, ""])
      expect(tested(ran.stdout).map(({ list_usd, protocol, status }) => [protocol, status, list_usd])).toEqual([
        ["openai", 200, "0.00007"],
        ["anthropic", 200, "0.00007"],
        ["gemini", 200, "0.00007"]
      ])
      const responses = yield* routes({ sandbox: true }, "test", "sandbox", "--operation", "responses", "--json")
      expect(tested(responses.stdout)).toMatchObject([{ operation: "responses", status: 200, list_usd: "0.00007" }])
    })
  )

  it.live("what no route leads to is said, and nothing is sent", () =>
    Effect.gen(function* () {
      const up = yield* httpUpstream(json(200, chatAnswer))
      const config = oneTarget(up.port)
      const other = yield* routes(config, "test", "other")
      expect([other.code, other.stderr]).toEqual([1, "No route leads there. Nothing was sent.\n"])
      const unknown = yield* routes(config, "test", "small", "--operation", "chats")
      expect(unknown.stderr).toBe("No route leads there. Nothing was sent.\n")
      const messages = yield* routes(config, "test", "small", "--operation", "messages")
      expect(messages.stderr).toBe("No route leads there. Nothing was sent.\n")
      const embeddings = { ...config, routes: [{ operation: "embeddings", model: "e", to: [{ upstream: "only" }] }] }
      expect((yield* routes(embeddings, "test", "e")).stderr).toMatch(/^No language model answers there/)
      expect(up.received).toEqual([])
    })
  )
})

describe("routes list", () => {
  const config = {
    upstreams: {
      openai: upstreamAt(1, "openai", { prices: { models: { "small-1": { input: "1", output: "2" } } } }),
      claude: upstreamAt(1, "anthropic")
    },
    routes: [
      {
        operation: "messages",
        model: "small",
        to: [
          { upstream: "claude", weight: 3 },
          { upstream: "openai", model: "small-1" }
        ]
      },
      { operation: "chat.completions", model: "unpriced", to: [{ upstream: "openai" }] }
    ],
    prices
  }

  it.live("shows each operation that reaches a model, by which upstream and at what price", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* routes(config, "list", "--json")
      expect(code).toBe(0)
      const reached = {
        asked_for: "small",
        operation: "messages",
        price: "$3 in, $15 out / 1M tokens, by model"
      }
      expect(JSON.parse(stdout)).toEqual([
        {
          ...reached,
          upstream: "claude",
          protocol: "anthropic",
          model: "small",
          weight: 3,
          upstream_price: null,
          translated: false
        },
        {
          ...reached,
          upstream: "openai",
          protocol: "openai",
          model: "small-1",
          weight: 1,
          upstream_price: "$1 in, $2 out / 1M tokens, by model",
          translated: true
        },
        {
          asked_for: "unpriced",
          operation: "chat.completions",
          upstream: "openai",
          protocol: "openai",
          model: "unpriced",
          weight: 1,
          price: expect.stringContaining("no model is offered at a price"),
          upstream_price: null,
          translated: false
        }
      ])
      const one = yield* routes(config, "list", "unpriced")
      expect(one.stdout).toMatch(/^unpriced +chat.completions +openai .* calls are refused +none$/m)
      expect(one.stdout).not.toContain("messages")
      expect((yield* routes(config, "list", "gone")).stdout).toBe("There are no routes there.\n")
    })
  )
})
