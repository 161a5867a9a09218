import { describe, expect, layer } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { bindings, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Images have a price by size. */
const operations = priced.map((operation): Operation => {
  const { price } = operation
  if (operation.id !== "images.generate" || price.contract !== "per_request") return operation
  const variants = [{ amount: usd("0.02"), where: [{ field: ["size"], values: ["1024x1024"] }] }]
  return { ...operation, price: { ...price, variants } }
})

const gateway = Host.layerInProcess.pipe(
  Layer.provideMerge(TestGateway.layer({ operations, bindings, sandbox: "all" }))
)

const messages = [{ role: "user", content: "Why do rivers bend?" }]
const calls = {
  chat: ["/v1/chat/completions", { model: "sandbox", messages }],
  messages: ["/v1/messages", { model: "sandbox", max_tokens: 20, messages }],
  gemini: ["/v1beta/models/sandbox:generateContent", { contents: [{ role: "user", parts: [{ text: "Why?" }] }] }],
  image: ["/v1/images/generations", { model: "sandbox", prompt: "A river" }],
  rerank: ["/v1/rerank", { query: "q", documents: ["a", "b"] }]
} as const

type Name = keyof typeof calls

/** Sends the call with more fields. `text` is put between the braces as it is. */
const send = (name: Name, text: string, headers: Readonly<Record<string, string>> = {}) => {
  const [path, body] = calls[name]
  return ask("POST", path, { authorization: `Bearer ${key}`, ...headers }, `{${text},${JSON.stringify(body).slice(1)}`)
}

const refused: ReadonlyArray<readonly [what: string, name: Name, text: string, param: string]> = [
  ["other case", "chat", '"Max_Tokens":100000', "Max_Tokens"],
  ["camel case", "chat", '"maxCompletionTokens":100000', "maxCompletionTokens"],
  ["camel and snake case", "chat", '"max_tokens":5,"maxTokens":100000', "maxTokens"],
  ["a long s (U+017F)", "chat", '"max_token\u017f":100000', "max_token\u017f"],
  ["an escaped Kelvin sign (U+212A)", "chat", '"max_to\\u212aens":100000', "max_to\u212aens"],
  ["full-width letters", "chat", '"ｎ":100', "ｎ"],
  ["the stream in other case", "chat", '"STREAM":true', "STREAM"],
  ["the model in other case", "gemini", '"generationConfig":{"MaxOutputTokens":9}', "generationConfig.MaxOutputTokens"],
  [
    "two spellings within a field",
    "gemini",
    '"generationConfig":{"maxOutputTokens":5,"max_output_tokens":9}',
    "generationConfig.max_output_tokens"
  ],
  [
    "two spellings of a count",
    "gemini",
    '"generation_config":{"candidate_count":1,"candidateCount":9}',
    "generation_config.candidateCount"
  ],
  ["two spellings", "gemini", '"generationConfig":{},"generation_config":{}', "generation_config"],
  ["mixed spellings", "gemini", '"generationConfig":{"max_output_tokens":20}', "generationConfig.max_output_tokens"],
  [
    "mixed spellings of a count",
    "gemini",
    '"generation_config":{"candidateCount":2}',
    "generation_config.candidateCount"
  ],
  ["another spelling of the whole", "gemini", '"GenerationConfig":{"maxOutputTokens":9}', "GenerationConfig"],
  ["a tool's type in other case", "chat", '"tools":[{"type":"function","Type":"web_search"}]', "tools.0.Type"],
  [
    "a tool's model in other case",
    "messages",
    '"tools":[{"name":"f"},{"type":"advisor_20260301","model":"sandbox","Model":"dear"}]',
    "tools.1.Model"
  ],
  ["a tool's type that is a list", "messages", '"tools":[{"type":["web_search"]}]', "tools.0.type"],
  [
    "a fallback's limit in other case",
    "messages",
    '"fallbacks":[{"model":"sandbox","max_tokens":1,"maxTokens":9}]',
    "fallbacks.0.maxTokens"
  ],
  ["servers of tools in other case", "messages", '"mcpServers":[{}]', "mcpServers"],
  ["a container's skills in other case", "messages", '"container":{"Skills":[{}]}', "container.Skills"],
  ["models without end", "chat", `"models":[${Array.from({ length: 101 }, () => '"sandbox"').join()}]`, "models"],
  ["documents in other case", "rerank", '"Document_s":["c"]', "Document_s"],
  ["a number as text", "chat", '"max_tokens":"100000"', "max_tokens"],
  ["zero", "chat", '"max_tokens":0', "max_tokens"],
  ["a negative number", "chat", '"max_completion_tokens":-1', "max_completion_tokens"],
  ["a fraction", "chat", '"n":1.5', "n"],
  ["a list", "chat", '"n":[2]', "n"],
  ["an object", "chat", '"max_tokens":{}', "max_tokens"],
  ["true", "chat", '"max_tokens":true', "max_tokens"],
  ["the largest safe integer", "chat", '"max_tokens":9007199254740991', "max_tokens"],
  ["an unsafe integer", "chat", '"max_tokens":9007199254740993', "max_tokens"],
  ["infinity", "gemini", '"generationConfig":{"maxOutputTokens":1e400}', "generationConfig.maxOutputTokens"],
  ["no candidates", "gemini", '"generationConfig":{"candidateCount":0}', "generationConfig.candidateCount"],
  ["a number as text", "image", '"n":"2"', "n"],
  ["zero", "image", '"n":0', "n"],
  ["a negative number", "image", '"n":-1', "n"],
  ["a fraction", "image", '"n":2.5', "n"],
  ["more than anybody asks for", "image", '"n":1000001', "n"],
  ["a capital letter", "image", '"N":10', "N"],
  ["a size in other case", "image", '"Size":"1024x1024"', "Size"],
  ["a size that is a list", "image", '"size":["1024x1024"]', "size"],
  ["a negative size", "image", '"size":-1', "size"],
  ["a flag as text", "chat", '"stream":"true"', "stream"],
  ["a flag as a number", "messages", '"stream":1', "stream"]
]

const accepted: ReadonlyArray<readonly [what: string, name: Name, text: string]> = [
  ["null for what is left out", "chat", '"max_tokens":null,"max_completion_tokens":null,"n":null,"stream":null'],
  ["null within a field", "gemini", '"generationConfig":{"maxOutputTokens":null,"candidateCount":null}'],
  ["null for a field", "gemini", '"generationConfig":null'],
  ["both fields of the protocol", "chat", '"max_tokens":20,"max_completion_tokens":20'],
  ["null for what is left out", "image", '"n":null,"size":null'],
  ["a count and a size", "image", '"n":2,"size":"1024x1024"'],
  ["snake case throughout", "gemini", '"generation_config":{"max_output_tokens":20,"candidate_count":1}'],
  ["a whole number in other notation", "chat", '"max_tokens":2e1'],
  [
    "fields that only look similar",
    "chat",
    '"max_tokens_per_doc":"x","streams":"x","modelled":[1],"user":"Max_Tokens"'
  ],
  ["the names further down", "chat", '"metadata":{"Max_Tokens":"x","stream":"true"}'],
  ["what decides in another protocol", "rerank", '"max_tokens":"x","stream":"true","n":0']
]

layer(gateway)("a field that decides the price", (it) => {
  describe("is refused by name", () => {
    for (const [what, name, text, param] of refused) {
      it.effect(`${name}: ${what}`, () =>
        Effect.gen(function* () {
          const { billingLog } = yield* TestGateway
          const before = yield* billingLog.count
          const quoted = yield* send(name, text, { "x-tollgate-cost-mode": "quote" })
          const called = yield* send(name, text)
          for (const answer of [quoted, called]) {
            expect(answer.status).toBe(400)
            expect(JSON.stringify(answer.json())).toContain(JSON.stringify(`${param}: `).slice(1, -1))
          }
          if (name === "chat") expect(called.json()).toMatchObject({ error: { param } })
          expect(yield* billingLog.count).toBe(before)
        })
      )
    }
  })

  describe("is accepted", () => {
    for (const [what, name, text] of accepted) {
      it.effect(`${name}: ${what}`, () =>
        Effect.gen(function* () {
          expect((yield* send(name, text)).status).toBe(200)
        })
      )
    }
  })

  it.effect("has no value whose quote fails", () =>
    Effect.gen(function* () {
      const quote = { "x-tollgate-cost-mode": "quote" }
      for (const text of [
        '"max_tokens":1000000000',
        '"n":10000',
        '"max_tokens":1000000000,"n":10000',
        '"n":1000000000'
      ]) {
        expect((yield* send("chat", text, quote)).status).toBeLessThan(500)
      }
    })
  )
})

/** A large body is read in several turns. */
const paddings = { "a small body": "", "a large body": `"padding":"${"x".repeat(300_000)}",` }

layer(gateway)("whatever its size", (it) => {
  for (const [size, padding] of Object.entries(paddings)) {
    it.effect(`${size} is refused if it has a field twice, also in other case`, () =>
      Effect.gen(function* () {
        for (const text of [
          '"temperature":1,"temperature":2',
          '"temperature":1,"Temperature":2',
          '"tools":[{"type":"function","type":"web_search"}]',
          '"tools":[{"type":"function","function":{"parameters":{"a":1,"a":2}}}]'
        ]) {
          const answer = yield* send("chat", padding + text)
          expect([answer.status, answer.text], text).toEqual([
            400,
            expect.stringMatching(/Two fields of the body (have the same name|are called)/)
          ])
        }
      })
    )

    it.effect(`${size} is refused if a field that decides the price is unclear`, () =>
      Effect.gen(function* () {
        expect((yield* send("chat", `${padding}"Max_Tokens":100000`)).json()).toMatchObject({
          error: { param: "Max_Tokens" }
        })
      })
    )
  }
})

layer(gateway)("an error text", (it) => {
  it.effect("says that the documents are missing", () =>
    Effect.gen(function* () {
      const answer = yield* ask(
        "POST",
        "/v1/rerank",
        { authorization: `Bearer ${key}` },
        '{"query":"q","documents":[]}'
      )
      expect(answer.json()).toMatchObject({
        error: { message: "documents: must not be empty", param: "documents" }
      })
    })
  )

  it.effect("calls a missing parameter a parameter, and a missing field a field", () =>
    Effect.gen(function* () {
      const bearer = { authorization: `Bearer ${key}` }
      const query = yield* ask("GET", "/apis/v1/social_a/tweet/quotes", bearer)
      expect(query.text).toMatch(/: is required"/)
      const body = yield* ask("POST", "/v1/rerank", bearer, '{"documents":["a"]}')
      expect(body.json()).toMatchObject({ error: { message: "query: is required", param: "query" } })
    })
  )
})
