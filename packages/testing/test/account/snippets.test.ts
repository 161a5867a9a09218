import { describe, expect, it } from "@effect/vitest"
import type { SnippetsRequest } from "@tollgate/contract/account/Offer"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { bindings, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"

const gateway = Host.layerInProcess.pipe(
  Layer.provideMerge(TestGateway.layer({ sandbox: "all", operations: priced, bindings }))
)

const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host>) =>
  it.effect(name, () => Effect.provide(effect(), gateway))

const snippets = Effect.fnUntraced(function* (
  operation: string,
  given: Readonly<Record<string, unknown>>,
  more: Partial<SnippetsRequest> = {}
) {
  const answer = yield* ask(
    "POST",
    "/account/v1/snippets",
    { authorization: `Bearer ${key}` },
    JSON.stringify({ operation, arguments: given, ...more })
  )
  expect(answer.status, answer.text).toBe(200)
  expect(answer.text).not.toContain(key)
  const all = (answer.json() as { readonly snippets: ReadonlyArray<Record<string, string>> }).snippets
  return Object.fromEntries(all.map(({ code = "", language = "" }) => [language, code]))
})

/** What curl would send, by a shell that runs the command with another curl. */
const sentBy = (command: string): ReadonlyArray<string> => {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  return execFileSync("bash", ["-c", script], { env: { TOLLGATE_KEY: "the-key" }, encoding: "utf8" })
    .split("\0")
    .slice(0, -1)
}

describe("snippets", () => {
  test("make the caller's own call, with the key of the environment", () =>
    Effect.gen(function* () {
      const code = yield* snippets("rerank", { query: "Why?", documents: ["a", "b"], top_n: 2 })
      expect(Object.keys(code)).toEqual(["curl", "promises", "sdk"])
      const sent = sentBy(code.curl ?? "")
      expect(sent).toContain("Authorization: Bearer the-key")
      expect(JSON.parse(sent.at(-1) ?? "")).toEqual({ query: "Why?", documents: ["a", "b"], top_n: 2 })
      expect(code.promises).toContain('tollgate.rerank({\n  query: "Why?",\n  documents: ["a", "b"],\n  top_n: 2\n})')
      expect(code.sdk).toContain("topN: 2")
    }))

  test("stream if the arguments ask for a stream", () =>
    Effect.gen(function* () {
      const body = { model: "sandbox", messages: [{ role: "user", content: "Why?" }] }
      expect((yield* snippets("chat.completions", body)).promises).toContain("tollgate.chatCompletions(")
      const streamed = yield* snippets("chat.completions", { ...body, stream: true })
      expect(streamed.promises).toContain("tollgate.chatCompletionsStream(")
      expect(streamed.curl).toContain("curl -N ")
      expect((yield* snippets("messages", body)).curl).toContain("anthropic-version")
    }))

  test("stream if the caller wishes it, and do not if not", () =>
    Effect.gen(function* () {
      const body = { model: "sandbox", messages: [{ role: "user", content: "Why?" }] }
      const streamed = yield* snippets("chat.completions", body, { stream: true })
      expect(JSON.parse(sentBy(streamed.curl ?? "").at(-1) ?? "")).toEqual({ ...body, stream: true })
      expect(streamed.effect).toContain("chatCompletionsStream(")
      expect(streamed.sdk).toContain("for await (const event of events)")
      const whole = yield* snippets("chat.completions", { ...body, stream: true }, { stream: false })
      expect(JSON.parse(sentBy(whole.curl ?? "").at(-1) ?? "")).toEqual(body)
      expect(whole.promises).toContain("tollgate.chatCompletions(")
      const rerank = yield* snippets("rerank", { query: "Why?", documents: [] }, { stream: true })
      expect(JSON.parse(sentBy(rerank.curl ?? "").at(-1) ?? "")).toEqual({ query: "Why?", documents: [] })
    }))

  test("ask Gemini for events in the query, and by the functions that stream", () =>
    Effect.gen(function* () {
      const body = { contents: [{ role: "user", parts: [{ text: "Why?" }] }] }
      const given = { model: "sandbox", ...body }
      const id = "models.stream_generate_content"
      for (const code of [
        yield* snippets(id, { ...given, alt: "sse" }),
        yield* snippets(id, given, { stream: true })
      ]) {
        const sent = sentBy(code.curl ?? "")
        expect(sent.find((word) => word.startsWith("http"))).toMatch(/:streamGenerateContent\?alt=sse$/)
        expect(JSON.parse(sent.at(-1) ?? "")).toEqual(body)
        expect(code.effect).toContain("generateContentStream(")
        expect(code.promises).toContain("tollgate.generateContentStream(")
        expect(code.sdk).toContain("google.models.generateContentStream(")
      }
      const array = yield* snippets(id, { ...given, alt: "sse" }, { stream: false })
      expect(Object.keys(array)).toEqual(["curl"])
      expect(array.curl).not.toContain("alt")
    }))

  test("have the cap and the scenario, as options and as headers", () =>
    Effect.gen(function* () {
      const more = { max_price_usd: "0.5", scenario: "status; code=429; after=2" }
      const code = yield* snippets("rerank", { query: "Why?", documents: ["a"] }, more)
      const sent = sentBy(code.curl ?? "")
      expect(sent).toContain("X-Tollgate-Max-Price-Usd: 0.5")
      expect(sent).toContain("X-Tollgate-Scenario: status; code=429; after=2")
      expect(code.promises).toContain('{ maxPrice: "0.5", scenario: "status; code=429; after=2" })')
      expect(code.sdk).toContain('"X-Tollgate-Max-Price-Usd": "0.5"')
      expect((yield* snippets("models.list", {}, { scenario: "html" })).promises).toContain(
        'tollgate.modelList(undefined, { scenario: "html" })'
      )
    }))

  test("split arguments into path, query and body, and write those that do not fit", () =>
    Effect.gen(function* () {
      const gemini = yield* snippets("models.generate_content", { model: "sandbox", contents: [], extra: 1 })
      const sent = sentBy(gemini.curl ?? "")
      expect(sent[0]).toBe("http://gateway.invalid/v1beta/models/sandbox:generateContent")
      expect(JSON.parse(sent.at(-1) ?? "")).toEqual({ contents: [], extra: 1 })
      const usage = yield* snippets("usage", { start_time: 5, unknown: true, end_time: null })
      expect(sentBy(usage.curl ?? "")[0]).toBe("http://gateway.invalid/v1/usage?start_time=5&unknown=true")
      expect((yield* snippets("task.get", {})).curl).toContain("/tasks/<task_id>")
    }))

  test("contain no code that arguments smuggle in, in a shell or in TypeScript", () =>
    Effect.gen(function* () {
      const hostile = [
        "$(touch /tmp/owned)",
        "`id`",
        "'; id #",
        '"; id; "',
        "$HOME",
        "!!",
        "a b",
        "${x}",
        "\\",
        "*",
        "é"
      ]
      for (const text of hostile) {
        const body = sentBy((yield* snippets("rerank", { query: text, documents: [text] })).curl ?? "")
        expect(JSON.parse(body.at(-1) ?? ""), text).toEqual({ query: text, documents: [text] })
        const inQuery = yield* snippets("social_a.tweet_quotes", { tweetId: text })
        const url = new URL(sentBy(inQuery.curl ?? "")[0] ?? "")
        expect([...url.searchParams], text).toEqual([["tweetId", text]])
        expect(inQuery.promises, text).toContain(`tweetId: ${JSON.stringify(text)}`)
        const inPath = yield* snippets("task.get", { task_id: text })
        const { pathname } = new URL(sentBy(inPath.curl ?? "")[0] ?? "")
        expect(decodeURIComponent(pathname).split("/tasks/")[1], text).toBe(text)
        expect(inPath.promises, text).toContain(JSON.stringify(text))
      }
      const proto = yield* snippets(
        "rerank",
        JSON.parse('{"__proto__":{"a":1},"query":"q"}') as Record<string, unknown>
      )
      expect(sentBy(proto.curl ?? "").at(-1)).toContain('"__proto__": { "a": 1 }')
    }))
})
