import { describe, expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ask, question } from "@tollgate/testing/ask"

const layer = Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer()))

/** The routes of each protocol. Only rerank has a price here; the others are refused after authentication. */
const routes = {
  openai: ["POST", "/v1/chat/completions"],
  anthropic: ["POST", "/v1/messages"],
  gemini: ["POST", "/v1beta/models/m:generateContent"],
  geminiStream: ["POST", "/v1beta/models/m:streamGenerateContent"],
  rerank: ["POST", "/v1/rerank"],
  usage: ["GET", "/v1/usage"],
  task: ["GET", "/apis/v1/services/aigc/tasks/t"],
  data: ["GET", "/apis/v1/reseller/social_b/v2/fetch_user_stories"]
} as const
type Route = keyof typeof routes

const codeAt = (route: Route, headers: Record<string, string>, query = "") => {
  const [method, path] = routes[route]
  const asked = path.includes("?") || query === "" ? path + query : path + query
  return Effect.map(ask(method, asked, headers, method === "POST" ? question : undefined), ({ status }) => status)
}

const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host>) =>
  it.effect(name, () => Effect.provide(effect(), layer))

describe("Authorization", () => {
  test("is accepted on every route, with any case of its scheme and any spaces after it", () =>
    Effect.gen(function* () {
      for (const route of Object.keys(routes) as Array<Route>) {
        for (const value of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`, `bEaReR ${key}`]) {
          expect(yield* codeAt(route, { authorization: value }), `${route} ${value}`).not.toBe(401)
        }
      }
    }))

  test("with another scheme or form is refused", () =>
    Effect.gen(function* () {
      for (const value of [
        key,
        `Basic ${key}`,
        `Token ${key}`,
        `Bearer${key}`,
        `Bearer\t${key}x`,
        "Bearer",
        "Bearer ",
        "",
        `Bearer ${key} ${key}`,
        `Bearer ${key},`,
        `Bearer "${key}"`,
        `Bearer ${key.slice(0, -1)}`,
        `Bearer ${key}0`,
        `Bearer ${key.toUpperCase()}`,
        `Bearer ${key}, Bearer ${key}`,
        `x Bearer ${key}`
      ]) {
        expect(yield* codeAt("rerank", { authorization: value }), value).toBe(401)
      }
    }))

  test("that is wrong is refused even if another header has a valid key", () =>
    Effect.gen(function* () {
      const wrong = { authorization: "Bearer nobody" }
      expect(yield* codeAt("anthropic", { ...wrong, "x-api-key": key })).toBe(401)
      expect(yield* codeAt("gemini", { ...wrong, "x-goog-api-key": key })).toBe(401)
      expect(yield* codeAt("gemini", wrong, `?key=${key}`)).toBe(401)
    }))
})

describe("keys where the SDKs put them", () => {
  const others = (...taken: Array<Route>) =>
    (Object.keys(routes) as Array<Route>).filter((route) => !taken.includes(route))

  test("x-api-key is accepted on Anthropic's route only", () =>
    Effect.gen(function* () {
      expect(yield* codeAt("anthropic", { "x-api-key": key })).not.toBe(401)
      expect(yield* codeAt("anthropic", { "X-Api-Key": key })).not.toBe(401)
      expect(yield* codeAt("anthropic", { "x-api-key": `${key}x` })).toBe(401)
      for (const route of others("anthropic")) expect(yield* codeAt(route, { "x-api-key": key }), route).toBe(401)
    }))

  test("x-goog-api-key and ?key= are accepted on Gemini's routes only", () =>
    Effect.gen(function* () {
      for (const route of ["gemini", "geminiStream"] as const) {
        expect(yield* codeAt(route, { "x-goog-api-key": key })).not.toBe(401)
        expect(yield* codeAt(route, {}, `?key=${key}`)).not.toBe(401)
        expect(yield* codeAt(route, {}, `?alt=sse&key=${key}`)).not.toBe(401)
        expect(yield* codeAt(route, {}, `?key=tg%5F${key.slice(3)}`)).not.toBe(401)
        expect(yield* codeAt(route, {}, `?key=`)).toBe(401)
        expect(yield* codeAt(route, {}, `?Key=${key}`)).toBe(401)
        expect(yield* codeAt(route, {}, `?key=nobody&key=${key}`)).toBe(401)
        expect(yield* codeAt(route, {}, `?key=${key}&x=%zz`)).toBe(401)
      }
      for (const route of others("gemini", "geminiStream")) {
        expect(yield* codeAt(route, { "x-goog-api-key": key }), route).toBe(401)
        expect(yield* codeAt(route, {}, `?key=${key}`), route).toBe(401)
      }
    }))

  test("a key in a cookie or a body is ignored", () =>
    Effect.gen(function* () {
      expect(yield* codeAt("rerank", { cookie: `key=${key}; authorization=Bearer ${key}` })).toBe(401)
      const body = JSON.stringify({ query: "q", documents: ["a"], key, api_key: key })
      expect((yield* ask("POST", "/v1/rerank", {}, body)).status).toBe(401)
    }))
})

describe("a caller without a credential learns nothing about routes", () => {
  test("known and unknown paths, wrong methods and wrong bodies get the same answer", () =>
    Effect.gen(function* () {
      for (const [method, path, body] of [
        ["POST", "/v1/rerank", question],
        ["POST", "/v1/rerank", "{"],
        ["GET", "/v1/rerank", undefined],
        ["DELETE", "/v1/rerank", undefined],
        ["GET", "/v1/nothing", undefined],
        ["PUT", "/", "{}"]
      ] as const) {
        const answer = yield* ask(method, path, {}, body)
        expect([answer.status, answer.headers["www-authenticate"]], `${method} ${path}`).toEqual([401, "Bearer"])
        expect(answer.headers).not.toHaveProperty("allow")
      }
    }))

  test("a hidden route gets 404 without a credential, and refuses a wrong one", () =>
    Effect.gen(function* () {
      const path = "/apis/v1/traffic_analytics/website/traffic-engagement"
      expect((yield* ask("GET", path)).status).toBe(404)
      expect((yield* ask("GET", path, { authorization: "Bearer nobody" })).status).toBe(401)
      expect((yield* ask("GET", path, { authorization: `Bearer ${key}` })).status).toBe(503)
    }))

  test("public routes need no credential and ignore a wrong one", () =>
    Effect.gen(function* () {
      expect((yield* ask("GET", "/api/contracts/version")).status).toBe(200)
      expect((yield* ask("GET", "/api/contracts/version", { authorization: "Bearer nobody" })).status).toBe(200)
    }))
})
