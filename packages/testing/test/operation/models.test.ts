import { describe, expect, it } from "@effect/vitest"
import { type Model, Models } from "@tollgate/gateway/exchange/Prices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ask } from "@tollgate/testing/ask"
import { bearer, layer as app, Tenants } from "@tollgate/testing/link/app"

const layer = (models: ReadonlyArray<Model>) => app({ references: Layer.succeed(Models, models) })

const three: ReadonlyArray<Model> = [
  { id: "talker", ownedBy: "us", created: 1_700_000_000, displayName: "The Talker" },
  { id: "ranker", operations: ["rerank"] },
  { id: "one/two", operations: ["messages", "models.generate_content"] }
]
const many = Array.from({ length: 45 }, (_, i): Model => ({ id: `m${i}` }))

const list = (path = "/v1/models", headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(Tenants, ({ one }) => ask("GET", path, { ...bearer(one.key), ...headers }))

describe("the list of models", () => {
  it.effect("has OpenAI's shape", () =>
    Effect.gen(function* () {
      const answer = yield* list()
      expect([answer.status, answer.headers["content-type"], answer.json()]).toEqual([
        200,
        "application/json",
        {
          object: "list",
          data: [
            { id: "talker", object: "model", created: 1_700_000_000, owned_by: "us" },
            { id: "ranker", object: "model", created: 0, owned_by: "" },
            { id: "one/two", object: "model", created: 0, owned_by: "" }
          ]
        }
      ])
    }).pipe(Effect.provide(layer(three)))
  )

  it.effect("is empty by default, in every shape", () =>
    Effect.gen(function* () {
      expect((yield* list()).json()).toEqual({ object: "list", data: [] })
      expect((yield* list("/v1/models", { "anthropic-version": "2023-06-01" })).json()).toEqual({
        data: [],
        has_more: false,
        first_id: null,
        last_id: null
      })
      expect((yield* list("/v1beta/models")).json()).toEqual({ models: [] })
    }).pipe(Effect.provide(app()))
  )

  it.effect("needs a credential", () =>
    Effect.gen(function* () {
      expect((yield* ask("GET", "/v1/models")).status).toBe(401)
      expect((yield* ask("GET", "/v1beta/models")).status).toBe(401)
      const { one } = yield* Tenants
      expect((yield* ask("GET", `/v1beta/models?key=${one.key}`)).status).toBe(200)
      expect((yield* ask("GET", "/v1beta/models", { "x-goog-api-key": one.key })).status).toBe(200)
    }).pipe(Effect.provide(layer(three)))
  )
})

describe("the list of models in Anthropic's shape", () => {
  const anthropic = (query = "") => list(`/v1/models${query}`, { "anthropic-version": "2023-06-01" })

  it.effect("has the models that take messages", () =>
    Effect.gen(function* () {
      expect((yield* anthropic()).json()).toEqual({
        data: [
          { type: "model", id: "talker", display_name: "The Talker", created_at: "2023-11-14T22:13:20.000Z" },
          { type: "model", id: "one/two", display_name: "one/two", created_at: "1970-01-01T00:00:00.000Z" }
        ],
        has_more: false,
        first_id: "talker",
        last_id: "one/two"
      })
    }).pipe(Effect.provide(layer(three)))
  )

  it.effect("is paged in both directions", () =>
    Effect.gen(function* () {
      const page = (query: string) =>
        Effect.map(anthropic(query), (answer) => {
          const { data, first_id, has_more, last_id } = answer.json() as {
            readonly data: ReadonlyArray<unknown>
            readonly first_id: string
            readonly has_more: boolean
            readonly last_id: string
          }
          return [data.length, first_id, last_id, has_more]
        })
      expect(yield* page("")).toEqual([20, "m0", "m19", true])
      expect(yield* page("?after_id=m19")).toEqual([20, "m20", "m39", true])
      expect(yield* page("?after_id=m39")).toEqual([5, "m40", "m44", false])
      expect(yield* page("?after_id=m44")).toEqual([0, null, null, false])
      expect(yield* page("?limit=45")).toEqual([45, "m0", "m44", false])
      expect(yield* page("?limit=44")).toEqual([44, "m0", "m43", true])
      expect(yield* page("?limit=2&before_id=m3")).toEqual([2, "m1", "m2", true])
      expect(yield* page("?limit=3&before_id=m3")).toEqual([3, "m0", "m2", false])
    }).pipe(Effect.provide(layer(many)))
  )

  it.effect.each(["?limit=0", "?limit=1001", "?limit=-1", "?limit=x", "?limit=", "?after_id=none", "?before_id=%00"])(
    "refuse %s",
    (query) =>
      Effect.gen(function* () {
        expect((yield* anthropic(query)).status).toBe(400)
      }).pipe(Effect.provide(layer(many)))
  )
})

describe("the list of models in Gemini's shape", () => {
  it.effect("has the models that generate content, and their methods", () =>
    Effect.gen(function* () {
      expect((yield* list("/v1beta/models")).json()).toEqual({
        models: [
          {
            name: "models/talker",
            version: "1",
            displayName: "The Talker",
            supportedGenerationMethods: ["generateContent", "streamGenerateContent", "embedContent"]
          },
          {
            name: "models/one/two",
            version: "1",
            displayName: "one/two",
            supportedGenerationMethods: ["generateContent"]
          }
        ]
      })
    }).pipe(Effect.provide(layer(three)))
  )

  it.effect("is paged", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      let token: string | undefined = ""
      let pages = 0
      while (token !== undefined) {
        const answer = yield* list(`/v1beta/models?pageSize=20${token === "" ? "" : `&pageToken=${token}`}`)
        const page = answer.json() as { models: ReadonlyArray<{ name: string }>; nextPageToken?: string }
        seen.push(...page.models.map(({ name }) => name))
        token = page.nextPageToken
        pages++
      }
      expect([pages, seen]).toEqual([3, many.map(({ id }) => `models/${id}`)])
      const all = (yield* list("/v1beta/models?pageSize=45")).json() as { models: ReadonlyArray<unknown> }
      expect(all).not.toHaveProperty("nextPageToken")
      expect(all.models).toHaveLength(45)
      const past = (yield* list("/v1beta/models?pageToken=999999999")).json()
      expect(past).toEqual({ models: [] })
    }).pipe(Effect.provide(layer(many)))
  )

  it.effect.each(["?pageSize=-1", "?pageSize=x", "?pageSize=1e3", "?pageToken=x", "?pageToken=-1", "?pageToken=1.5"])(
    "refuse %s",
    (query) =>
      Effect.gen(function* () {
        const answer = yield* list(`/v1beta/models${query}`)
        expect([answer.status, answer.json()]).toMatchObject([400, { error: { status: "INVALID_ARGUMENT" } }])
      }).pipe(Effect.provide(layer(many)))
  )
})
