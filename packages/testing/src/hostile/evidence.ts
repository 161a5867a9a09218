import { Audit } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { ask } from "../ask.ts"
import { Host } from "../Host.ts"
import { bindings, calls, priced, reservedTotal } from "../models.ts"
import { key, TestGateway } from "../TestGateway.ts"
import { httpUpstream, providerAt } from "../upstream.ts"

/** What the upstream answers with status 200. */
export interface Given {
  readonly body: string
  /** Default: `application/json`. `null`: none. */
  readonly type?: string | null
}

/** An operation, its protocol, and an answer of the right shape. */
interface Called {
  readonly operation: string
  readonly protocol: string
  readonly path: string
  /** `undefined`: a GET. */
  readonly request?: object
  readonly right: string
  /** The price of `right` in micro-USD. */
  readonly price: number
}

const messages = [{ role: "user", content: "abcdefgh" }]

/** One operation for each way in which an answer proves its cost. */
export const operations = {
  openai: {
    operation: "chat.completions",
    protocol: "openai",
    path: "/v1/chat/completions",
    request: { model: "sandbox", messages },
    right: '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":10,"completion_tokens":2}}',
    price: 64
  },
  anthropic: {
    operation: "messages",
    protocol: "anthropic",
    path: "/v1/messages",
    request: { model: "sandbox", max_tokens: 500, messages },
    right: '{"type":"message","content":[{"type":"text","text":"Hi"}],"usage":{"input_tokens":10,"output_tokens":2}}',
    price: 64
  },
  gemini: {
    operation: "models.generate_content",
    protocol: "gemini",
    path: "/v1beta/models/sandbox:generateContent",
    request: { contents: [{ parts: [{ text: "abcdefgh" }] }] },
    right:
      '{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2}}',
    price: 64
  },
  rerank: {
    operation: "rerank",
    protocol: "json",
    path: "/v1/rerank",
    request: { query: "abcd", documents: ["rivers bend ".repeat(200)] },
    right: '{"results":[{"index":0,"relevance_score":1}],"usage":{"total_tokens":1000}}',
    price: 50
  },
  reseller: {
    operation: "reseller.social_c.tag_detail",
    protocol: "json",
    path: "/apis/v1/reseller/social_c/web/fetch_tag_detail",
    right: '{"code":200,"data":{}}',
    price: 1_450
  },
  comments: {
    operation: "social_b.post_comments",
    protocol: "json",
    path: "/apis/v1/social_b/post/comments",
    right: '{"success":true,"comments":[{"id":"1"},{"id":"2"}]}',
    price: 3_760
  },
  "per request, a shape that is known": {
    operation: "social_a.tweet_quotes",
    protocol: "json",
    path: "/apis/v1/social_a/tweet/quotes?tweetId=1",
    right: '{"tweets":[],"has_next_page":false}',
    price: 10_000
  },
  "per request, a shape that is not known": {
    operation: "traffic_analytics.traffic_engagement",
    protocol: "json",
    path: "/apis/v1/traffic_analytics/website/traffic-engagement",
    right: '{"visits":1}',
    price: 10_000
  },
  "per request, OpenAI's images": {
    operation: "images.generate",
    protocol: "openai",
    path: "/v1/images/generations",
    request: { prompt: "a" },
    right: '{"data":[{"url":"https://x"}]}',
    price: 10_000
  }
} as const satisfies Record<string, Called>

/** A gateway whose only upstream answers with what it is given. `send` also tells what the ledger says of the call. */
export const withUpstream = <A, E>(
  { operation, path, protocol, request }: Called,
  use: (
    send: (given: Given) => Effect.Effect<
      {
        readonly status: number
        readonly headers: Readonly<Record<string, string | undefined>>
        readonly bytes: Uint8Array
        readonly text: string
        readonly call: { readonly state: string; readonly charged: number; readonly cost_state: string | null }
      },
      unknown,
      Host | TestGateway
    >
  ) => Effect.Effect<A, E, Host | TestGateway>
) =>
  Effect.gen(function* () {
    let next: Given = { body: "" }
    const upstream = yield* httpUpstream((res) =>
      res.writeHead(200, next.type === null ? {} : { "content-type": next.type ?? "application/json" }).end(next.body)
    )
    const gateway = TestGateway.layer({
      operations: priced,
      bindings,
      providers: { [operation]: { ...providerAt(upstream.port), protocol } }
    })
    const send = (given: Given) =>
      Effect.gen(function* () {
        next = given
        const headers = { authorization: `Bearer ${key}`, "x-api-key": key, "x-goog-api-key": key }
        const answer = yield* request === undefined
          ? ask("GET", path, headers)
          : ask("POST", path, headers, JSON.stringify(request))
        const call = (yield* calls).find(({ id }) => id === answer.headers["x-request-id"])
        if (call === undefined) throw new Error(`the ledger has no call: ${answer.status} ${answer.text}`)
        return { ...answer, call }
      })
    return yield* use(send).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(gateway))))
  })

/** What is still reserved, and where the ledger contradicts itself. */
export const leftOver = Effect.gen(function* () {
  const { sql } = yield* TestGateway
  const { differences } = yield* Effect.provideService(Audit.run, SqlClient, sql)
  return { reserved: yield* reservedTotal, differences }
})

export const clean = { reserved: 0, differences: [] }
