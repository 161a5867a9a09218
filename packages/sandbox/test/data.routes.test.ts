import { describe, expect, it } from "@effect/vitest"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { Books, client, Sandbox } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as TestClock from "effect/testing/TestClock"
import { table as data } from "../src/data/table.ts"
import { table as video } from "../src/video/table.ts"

const names = { ...defaults, social_a: "birds", social_b: "photos", social_c: "clips", reseller: "shop" }

describe("the sandbox's upstreams", () => {
  it("serve every data and video operation that the gateway does not answer itself", () => {
    const categories = ["social", "finance", "web traffic", "video"]
    const missing = Object.values(operations)
      .filter(
        ({ category, id, upstream }) => categories.includes(category) && (upstream !== "gateway" || id === "task.get")
      )
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !Object.hasOwn({ ...data, ...video }, route))
    expect(missing).toEqual([])
  })

  it.effect("use the gateway's names and record what they bill", () =>
    Effect.gen(function* () {
      const http = client(yield* Sandbox.make({ names }))
      const books = yield* Books
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
      expect((yield* books.entries).map(({ billed, operation }) => [operation, billed])).toEqual([
        ["photos.post_comments", { items: comments.length }],
        ["shop.clips.tag_detail", { requests: 1 }],
        ["video.create", { tasks: 1 }]
      ])
    }).pipe(Effect.provide(Books.layerMemory()))
  )
})
