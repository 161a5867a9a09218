import { describe, expect, it } from "@effect/vitest"
import { defaults } from "@tollgate/contract/Names"
import { rerank } from "@tollgate/contract/operations/rerank"
import { BillingLog, client, Sandbox } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { sampled } from "../src/protocols.ts"

const names = { ...defaults, social_a: "birds", social_b: "photos", social_c: "clips", reseller: "shop" }

describe("the sandbox's upstreams", () => {
  it("answer an operation without its own handler with a sample answer", async () => {
    const own = { ...rerank, id: "{social_a}.own", path: "/v1/own/{id}" }
    const table = sampled([rerank, own], [{ "POST /v1/rerank": () => expect.fail("not called") }])
    expect(Object.keys(table)).toEqual(["POST /v1/own/{id}"])
    const request = HttpServerRequest.fromWeb(new Request("http://sandbox.invalid/v1/own/7", { method: "POST" }))
    const context = { parameters: { id: "7" }, scenario: { kind: "none" }, names } as const
    const work = await Effect.runPromise(table["POST /v1/own/{id}"]!(request, context))
    expect(work).toMatchObject({ operation: "birds.own", billed: { requests: 1 } })
    expect("body" in work && Schema.is(rerank.success)(work.body)).toBe(true)
  })

  it.effect("use the gateway's names and record what they bill", () =>
    Effect.gen(function* () {
      const http = client(yield* Sandbox.make({ names }))
      const billingLog = yield* BillingLog
      const get = (path: string) =>
        Effect.flatMap(http.get(path.startsWith("/") ? `http://sandbox.invalid${path}` : path), (response) =>
          Effect.map(response.text, (text) => ({ status: response.status, text }))
        )
      const json = (path: string) => Effect.map(get(path), ({ text }) => JSON.parse(text))
      const { comments } = yield* json("/apis/v1/photos/post/comments?url=2")
      const { cache_url } = yield* json("/apis/v1/shop/clips/web/fetch_tag_detail?tag_name=tea")
      expect((yield* get(cache_url)).status).toBe(200)
      expect((yield* json("/apis/v1/shop/clips/web/fetch_tag_detail")).code).toBe(400)
      expect((yield* get("/apis/v1/birds/tweet/quotes")).status).toBe(400)
      const made = yield* http.post("http://sandbox.invalid/apis/v1/services/aigc/video-generation/video-synthesis", {
        body: HttpBody.text(JSON.stringify({ model: "sandbox-video", input: { prompt: "[task 1s]" } }))
      })
      const { output } = (yield* made.json) as { output: { task_id: string } }
      const task = `/apis/v1/services/aigc/tasks/${output.task_id}`
      expect((yield* json(task)).output.task_status).toBe("PENDING")
      yield* TestClock.adjust("1 second")
      const { video_url } = (yield* json(task)).output
      yield* json(task)
      expect((yield* get(video_url)).status).toBe(200)
      expect((yield* billingLog.entries).map(({ billed, operation }) => [operation, billed])).toEqual([
        ["photos.post_comments", { items: comments.length }],
        ["shop.clips.tag_detail", { requests: 1 }],
        ["video.create", { tasks: 1 }]
      ])
    }).pipe(Effect.provide(BillingLog.layerMemory()))
  )
})
