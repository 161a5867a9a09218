import Anthropic from "@anthropic-ai/sdk"
import { describe, expect, it } from "@effect/vitest"
import { GoogleGenAI } from "@google/genai"
import { errorFamilies } from "@tollgate/contract/errors/families"
import type { Family } from "@tollgate/contract/errors/Family"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask, question } from "@tollgate/testing/ask"
import { priced } from "@tollgate/testing/models"
import { CohereClient, CohereClientV2 } from "cohere-ai"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import OpenAI from "openai"

const host = Host.layerNode.pipe(
  Layer.provideMerge(TestGateway.layer({ operations: priced, limits: true, sandbox: "all" }))
)
const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
  it.live(name, () => Effect.provide(effect(), host))

const bearer = { authorization: `Bearer ${key}` }
const anthropic = { "x-api-key": key, "anthropic-version": "2023-06-01" }
const gemini = { "x-goog-api-key": key }

const isShape = (family: Family, body: unknown) =>
  Schema.is(errorFamilies[family].shape as Schema.Schema<unknown>)(body)

describe("an unknown path", () => {
  const paths: ReadonlyArray<readonly [path: string, family: Family]> = [
    ["/v1/nothing", "openai"],
    ["/chat/completions", "openai"],
    ["/v1/messages/batches", "anthropic"],
    ["/messages", "anthropic"],
    ["/v1/v1/messages", "anthropic"],
    ["/v1beta/cachedContents", "gemini"],
    ["/v1beta/v1beta/models/m:generateContent", "gemini"],
    ["/upload/v1beta/files", "gemini"],
    ["/apis/v1/services/aigc/nothing", "task"],
    ["/apis/v1/nothing", "data"],
    ["/", "data"]
  ]
  for (const [path, family] of paths) {
    test(`${path} answers 404 in the shape of ${family}, however the SDK sends its key`, () =>
      Effect.gen(function* () {
        for (const headers of [bearer, { "x-api-key": key }, gemini]) {
          const answer = yield* ask("POST", path, headers, "{}")
          expect([answer.status, isShape(family, answer.json())], answer.text).toEqual([404, true])
        }
        const inQuery = yield* ask("POST", `${path}?key=${key}`, {}, "{}")
        expect(inQuery.status).toBe(404)
        expect(inQuery.text).not.toContain(key)
      }))
  }

  test("without a credential, or with a wrong one, answers 401 in the shape of the path", () =>
    Effect.gen(function* () {
      for (const [path, family] of paths) {
        for (const headers of [{}, { "x-api-key": "wrong" }, { "x-goog-api-key": "wrong" }]) {
          const answer = yield* ask("POST", path, headers, "{}")
          expect([answer.status, isShape(family, answer.json())], path).toEqual([401, true])
        }
      }
    }))

  test("says in its headers that it cost nothing, with a credential and without", () =>
    Effect.gen(function* () {
      for (const headers of [bearer, {}]) {
        const answer = yield* ask("GET", "/v1/nothing", headers)
        expect([answer.headers["x-tollgate-cost-state"], answer.headers["x-tollgate-cost-micros-usd"]]).toEqual([
          "none",
          undefined
        ])
      }
    }))

  test("is answered in the shape of the SDK that names itself", () =>
    Effect.gen(function* () {
      const models = yield* ask("GET", "/v1/models?limit=0", anthropic)
      expect([models.status, isShape("anthropic", models.json())]).toEqual([400, true])
      expect(isShape("anthropic", (yield* ask("GET", "/v1/files", anthropic)).json())).toBe(true)
    }))
})

describe("a key sent in another SDK's way", () => {
  test("does not authorise another family's operation, and the answer says what does", () =>
    Effect.gen(function* () {
      const chat = JSON.stringify({ model: "sandbox", messages: [{ role: "user", content: "Why?" }] })
      for (const [headers, name] of [
        [{ "x-api-key": key }, "x-api-key"],
        [gemini, "x-goog-api-key"]
      ] as const) {
        const answer = yield* ask("POST", "/v1/chat/completions", headers, chat)
        expect(answer.status).toBe(401)
        expect(answer.text).toContain(`${name} is not read on this path`)
        expect(answer.text).toContain("Authorization: Bearer <key>")
        expect(answer.text).not.toContain(key)
      }
      const inQuery = yield* ask("POST", `/v1/rerank?key=${key}`, {}, question)
      expect(inQuery.status).toBe(401)
      expect(inQuery.text).toContain("A key in the query (?key=) is not read on this path.")
    }))
})

describe("the message of a 404", () => {
  const offered: ReadonlyArray<readonly [path: string, shown: string, instead: string]> = [
    ["/v1/responses/resp_1/cancel", "This path", "/v1/responses"],
    ["/v1/threads/t_1/runs", "`/v1/threads`", "/v1/chat/completions"],
    ["/v1/models/org/model", "This path", "/v1/models/{id}"],
    ["/v1beta/models/sandbox/versions/1", "This path", "/v1beta/models"],
    ["/v1/complete", "`/v1/complete`", "/v1/messages"],
    ["/v1/messages/batches", "`/v1/messages/batches`", "/v1/messages"],
    ["/v1beta/models/m:generateImages", "This path", "/v1beta/models/{model}:generateContent"],
    ["/v1/models/m:generateImages", "This path", "/v1beta/models/{model}:generateContent"],
    ["/v2/embed", "`/v2/embed`", "/v1/embeddings"],
    ["/v2/chat", "`/v2/chat`", "/v1/chat/completions"],
    ["/chat/completions", "`/chat/completions`", "/v1/chat/completions"],
    ["/v1/v1/messages", "`/v1/v1/messages`", "/v1/messages"],
    ["/v1/rerank/", "`/v1/rerank/`", "/v1/rerank"]
  ]
  test("names what the gateway has instead of the SDK's path", () =>
    Effect.gen(function* () {
      for (const [path, shown, instead] of offered) {
        const { text } = yield* ask("POST", path, bearer, "{}")
        expect(text, path).toContain(`${shown} is not offered here; this gateway has \`${instead}\`.`)
      }
      const { text } = yield* ask("POST", "/v1/audio/translations", bearer, "{}")
      expect(text).toContain(
        "`/v1/audio/translations` is not offered here; `/docs` shows what is; for programs `/api/contracts/source?"
      )
    }))

  test("does not repeat a path that may contain a key", () =>
    Effect.gen(function* () {
      const { text } = yield* ask("GET", `/v1/${"x".repeat(5_000)}/secret`, bearer)
      expect(text).toContain("This path is not offered here")
      for (const path of [`/v1/models/${key}`, `/v1/threads/${key}`, `/v1/models/${key}:generateContent`, `/${key}`]) {
        expect((yield* ask("GET", path, bearer)).text).not.toContain(key)
      }
    }))

  test("reaches the caller of each SDK", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      yield* Effect.promise(async () => {
        const openai = new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1` })
        const error = await openai.responses.cancel("resp_1").catch((error: unknown) => error)
        expect(error).toBeInstanceOf(OpenAI.NotFoundError)
        expect(String(error)).toContain("this gateway has `/v1/responses`")

        const claude = new Anthropic({ apiKey: key, baseURL: baseUrl })
        await expect(claude.messages.batches.create({ requests: [] })).rejects.toThrow(/`\/v1\/messages`/)

        const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl } })
        await expect(google.files.list()).rejects.toThrow("`/v1/files` is not offered here")

        const cohere = new CohereClientV2({ token: key, environment: baseUrl })
        await expect(cohere.chat({ model: "m", messages: [{ role: "user", content: "Why?" }] })).rejects.toThrow(
          /`\/v1\/chat\/completions`/
        )
      })
    }))
})

describe("the request id", () => {
  test("is where Anthropic's SDK looks for it, in answers and errors", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      yield* Effect.promise(async () => {
        const claude = new Anthropic({ apiKey: key, baseURL: baseUrl })
        const hello = { model: "sandbox", max_tokens: 20, messages: [{ role: "user" as const, content: "Why?" }] }
        expect((await claude.messages.create(hello))._request_id).toMatch(/^req_/)
        const stream = claude.messages.stream(hello)
        await stream.finalMessage()
        expect(stream.request_id).toMatch(/^req_/)
        const error = await claude.messages.create({ ...hello, model: "none" }).catch((error: unknown) => error)
        expect(error).toMatchObject({ requestID: expect.stringMatching(/^req_/) })
        for await (const model of claude.models.list()) expect(model.id).toBe("sandbox")
      })
      const chat = yield* ask("GET", "/v1/models", bearer)
      expect(chat.headers).not.toHaveProperty("request-id")
      expect(chat.headers["x-request-id"]).toMatch(/^req_/)
    }))
})

describe("cohere", () => {
  test("reranks", () =>
    Effect.flatMap(Host, ({ baseUrl }) =>
      Effect.promise(async () => {
        const cohere = new CohereClient({ token: key, environment: baseUrl })
        const { results } = await cohere.rerank({ model: "rerank", query: "q", documents: ["a", "b"] })
        expect(results).toHaveLength(2)
      })
    ))
})
