import { expect, it } from "@effect/vitest"
import type { Binding } from "@tollgate/contract/Operation"
import { createClient } from "@tollgate/node"
import { Host, key, TestGateway } from "@tollgate/testing"
import { priced } from "@tollgate/testing/models"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Every operation that the interface leaves open, under names of an operator's own. */
const bindings = {
  "deep_research.search": { path: "/research" },
  "images.generate": { path: "/pictures" },
  "social_b.post_comments": { parameters: { cursor: "after" } },
  "reseller.social_c.creator_search_insights_videos": { parameters: { offset: "from", page_size: "most" } },
  "reseller.social_c.search_word_suggestion": { parameters: { language: "lang", region: "where" } }
} satisfies Readonly<Record<string, Binding>>

const answers: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
  "/research": () => ({
    choices: [{ message: { content: "found" } }],
    usage: { prompt_tokens: 1, completion_tokens: 1 }
  }),
  "/pictures": () => ({ data: [{ url: "http://images.invalid/1" }] }),
  "/apis/v1/social_b/post/comments": (query) => ({
    success: true,
    credits_remaining: 1,
    comments: [{ id: query.get("after") ?? "first" }],
    cursor: query.has("after") ? "" : "second"
  })
}

it.live("discover: every pending operation works against a gateway that binds it", () =>
  Effect.gen(function* () {
    const upstream = yield* httpUpstream((res, { url }) => {
      const { pathname, searchParams } = new URL(url, "http://upstream.invalid")
      const answer = answers[pathname]?.(searchParams) ?? { code: 200, data: {} }
      res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
    })
    const provider = { ...providerAt(upstream.port), protocol: "openai" }
    const providers = Object.fromEntries(Object.keys(bindings).map((id) => [id, provider]))
    const gateway = Host.layerNode.pipe(
      Layer.provideMerge(TestGateway.layer({ operations: priced, bindings, providers }))
    )
    yield* Effect.gen(function* () {
      const client = createClient({ baseUrl: (yield* Host).baseUrl, credential: key, discover: true })
      yield* Effect.promise(async () => {
        expect(await client.imageGenerate({ model: "sandbox", prompt: "a river" })).toHaveProperty("data")
        expect(await client.deepResearch({ model: "sandbox", messages: [] })).toHaveProperty("choices")
        expect(await client.quote.imageGenerate({ model: "sandbox", prompt: "a river" })).toHaveProperty("basis")
        const comments: Array<unknown> = []
        for await (const { id } of client.postCommentsItems({ url: "u" })) comments.push(id)
        expect(comments).toEqual(["first", "second"])
        await client.creatorInsights({ keyword: "k", offset: 3, page_size: 5 })
        await client.wordSuggestions({ search_word: "w", language: "de", region: "at" })
        await client.close()
      })
    }).pipe(Effect.provide(gateway))
    expect(upstream.received.map(({ url }) => url.replace(/^.*\/(?=[^/]*$)/, ""))).toEqual([
      "pictures",
      "research",
      "comments?url=u",
      "comments?url=u&after=second",
      expect.stringContaining("from=3&most=5"),
      expect.stringContaining("lang=de&where=at")
    ])
  }).pipe(Effect.scoped)
)
