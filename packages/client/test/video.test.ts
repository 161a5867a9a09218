import { describe, expect, it } from "@effect/vitest"
import { awaitVideo, generateVideo } from "@tollgate/client"
import { type Progress, type VideoOptions, videoProgress } from "../src/workflows/video/videoProgress.ts"
import type { TaskStatus } from "@tollgate/contract/Task"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { fail, json, respond, scripted } from "./scripted.ts"

type Handler = Parameters<typeof scripted>[0]

const taskId = "t1"

const task =
  (task_status: TaskStatus, more: object = {}): Handler =>
  (...args) =>
    respond(200, JSON.stringify({ output: { task_id: taskId, task_status, ...more } }), json)(...args)

/** Answers polls in order; the last answer repeats. `at` has the times of the polls. */
const answering = (answers: ReadonlyArray<Handler>) => {
  const at: Array<number> = []
  const made = scripted((...args) =>
    Effect.gen(function* () {
      at.push(yield* Clock.currentTimeMillis)
      return yield* (answers[at.length - 1] ?? answers.at(-1)!)(...args) satisfies Effect.Effect<
        HttpClientResponse,
        unknown
      >
    })
  )
  return { ...made, at }
}

/** The answers use real promises, so time advances in steps with event loop iterations between them. */
const pass = (millis: number, step: number) =>
  Effect.gen(function* () {
    for (let passed = 0; passed < millis; passed += step) {
      yield* TestClock.adjust(step)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
  })

const wait = (answers: ReadonlyArray<Handler>, millis: number, options?: VideoOptions, step = 500) =>
  Effect.gen(function* () {
    const { at, layer } = answering(answers)
    const fiber = yield* awaitVideo(taskId, options).pipe(Effect.provide(layer), Effect.result, Effect.forkChild)
    yield* pass(millis, step)
    const exit = fiber.pollUnsafe()
    yield* Fiber.interrupt(fiber)
    const result = exit?._tag === "Success" ? exit.value : undefined
    return {
      at,
      video: result?._tag === "Success" ? result.success : undefined,
      error: result?._tag === "Failure" ? result.failure : undefined
    }
  })

const gaps = (at: ReadonlyArray<number>) => at.slice(1).map((now, i) => now - (at[i] ?? 0))

describe("waiting for a video", () => {
  it.effect("polls after three seconds, then every three to five", () =>
    Effect.gen(function* () {
      const answers = [task("PENDING"), task("RUNNING"), task("UNKNOWN"), task("RUNNING"), task("RUNNING")]
      const end = task("SUCCEEDED", { video_url: "http://video.invalid/1" })
      const { at, video } = yield* wait([...answers, end], 30_000, undefined, 50)
      expect(video?.output.video_url).toBe("http://video.invalid/1")
      expect(at[0]).toBe(3_000)
      expect(at).toHaveLength(6)
      expect(gaps(at).every((gap) => gap >= 3_000 && gap <= 5_050)).toBe(true)
      expect(new Set(gaps(at)).size).toBeGreaterThan(1)
    }).pipe(Random.withSeed("video"))
  )

  it.effect.each([
    [{ firstMillis: 0, betweenMillis: [0, 1] }],
    [{ firstMillis: -5, betweenMillis: [-100, -50] }],
    [{ firstMillis: Number.NaN, betweenMillis: [Number.NaN, 3] }]
  ] as ReadonlyArray<readonly [VideoOptions]>)("never looks faster than twice a second: %j", ([options]) =>
    Effect.gen(function* () {
      const { at } = yield* wait([task("RUNNING")], 3_000, options, 50)
      expect(at).toEqual([500, 1_000, 1_500, 2_000, 2_500, 3_000])
    })
  )

  it.effect("times out after five minutes, and the error has the task", () =>
    Effect.gen(function* () {
      const soon = yield* wait([task("RUNNING")], 299_500)
      expect(soon.error).toBeUndefined()
      // A poll in flight takes some event loop iterations to end.
      const { error } = yield* wait([task("RUNNING")], 302_000)
      expect(error).toMatchObject({ _tag: "VideoTimedOut", taskId, task: { output: { task_status: "RUNNING" } } })
    })
  )

  it.effect("times out during a poll that never ends", () =>
    Effect.gen(function* () {
      const { at, error } = yield* wait([() => Effect.never], 10_000, { timeout: 10_000 })
      expect([at.length, error]).toMatchObject([1, { _tag: "VideoTimedOut", taskId }])
      expect(error).not.toHaveProperty("task")
    })
  )

  it.effect("fails with the task", () =>
    Effect.gen(function* () {
      const { error } = yield* wait([task("FAILED", { code: "Bad", message: "no luck" })], 3_000)
      expect(error).toMatchObject({ _tag: "VideoFailed", taskId, code: "Bad", message: "no luck" })
      const bare = yield* wait([task("FAILED", { code: null })], 3_000)
      expect(bare.error).toMatchObject({ _tag: "VideoFailed", message: "The task failed" })
    })
  )

  it.effect("ends with a cancellation", () =>
    Effect.gen(function* () {
      const { error } = yield* wait([task("CANCELED", { message: "stopped" })], 3_000)
      expect(error).toMatchObject({ _tag: "VideoCanceled", taskId, message: "stopped", task: {} })
    })
  )

  it.effect("fails if the status is UNKNOWN for a minute", () =>
    Effect.gen(function* () {
      const options: VideoOptions = { betweenMillis: [5_000, 5_000] }
      const { at, error } = yield* wait([task("UNKNOWN")], 120_000, options)
      expect(error).toMatchObject({
        _tag: "VideoLost",
        taskId,
        message: expect.stringContaining("its id may be wrong")
      })
      expect(at.at(-1)).toBe(63_000)
      const known = [task("UNKNOWN"), task("UNKNOWN"), task("RUNNING"), task("UNKNOWN")]
      const late = yield* wait(known, 120_000, { ...options, unknownMillis: 10_000 })
      expect([late.error?._tag, late.at.length]).toEqual(["VideoLost", 6])
    })
  )

  it.effect("continues after transient failures", () =>
    Effect.gen(function* () {
      const answers = [
        fail(new Error("reset")),
        respond(429, "{}", json),
        respond(502, "bad gateway", {}),
        respond(503, "{}", json),
        respond(504, "late", {}),
        task("SUCCEEDED")
      ]
      const { at, video } = yield* wait(answers, 30_000, { betweenMillis: [4_000, 4_000] })
      expect(video?.output.task_status).toBe("SUCCEEDED")
      // One request for each poll: the client does not retry them.
      expect(at).toEqual([3_000, 7_000, 11_000, 15_000, 19_000, 23_000])
    })
  )

  it.effect("honours Retry-After", () =>
    Effect.gen(function* () {
      const answers = [respond(429, "{}", { ...json, "retry-after": "20" }), task("RUNNING"), task("SUCCEEDED")]
      const { at } = yield* wait(answers, 60_000, { betweenMillis: [4_000, 4_000] })
      expect(at).toEqual([3_000, 23_000, 27_000])
      const short = [respond(503, "{}", { ...json, "retry-after": "1" }), task("SUCCEEDED")]
      expect((yield* wait(short, 60_000, { betweenMillis: [4_000, 4_000] })).at).toHaveLength(2)
    })
  )

  it.effect.each([
    [401, "{}", "Unauthenticated"],
    [500, "{}", "ServerFault"],
    [200, "[]", "AnswerInvalid"]
  ] as const)("does not outlast a %s, and names the task", ([status, body, tag]) =>
    Effect.gen(function* () {
      const { at, error } = yield* wait([respond(status, body, json)], 10_000)
      expect(error).toMatchObject({ _tag: "VideoUnseen", taskId, cause: { _tag: tag } })
      expect(at).toHaveLength(1)
    })
  )

  it.effect("names the created task in its errors", () =>
    Effect.gen(function* () {
      const { layer, sent } = answering([task("PENDING"), task("FAILED")])
      const input = { model: "m", input: { prompt: "a river" } }
      const fiber = yield* generateVideo(input).pipe(Effect.provide(layer), Effect.flip, Effect.forkChild)
      yield* pass(3_500, 500)
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "VideoFailed", taskId })
      expect(sent.map(({ request, url }) => [request.method, url.pathname])).toEqual([
        ["POST", "/apis/v1/services/aigc/video-generation/video-synthesis"],
        ["GET", "/apis/v1/services/aigc/tasks/t1"]
      ])
    })
  )
})

it.effect("a wait that is no duration is refused before the video is paid for", () =>
  Effect.gen(function* () {
    const { layer, sent } = answering([task("PENDING")])
    const input = { model: "any", input: { prompt: "p" } }
    const exit = yield* Effect.exit(generateVideo(input, { timeout: "soon" as never }).pipe(Effect.provide(layer)))
    expect([exit._tag, sent]).toEqual(["Failure", []])
  })
)

describe("the progress of a video", () => {
  it.effect("is reported after each poll, and ends with the task", () =>
    Effect.gen(function* () {
      const { layer } = answering([task("PENDING"), task("RUNNING"), task("SUCCEEDED")])
      const seen: Array<Progress> = []
      const fiber = yield* videoProgress(taskId, { firstMillis: 1_000, betweenMillis: [2_000, 2_000] }).pipe(
        Stream.runForEach((progress) => Effect.sync(() => seen.push(progress))),
        Effect.provide(layer),
        Effect.forkChild
      )
      yield* pass(1_000, 500)
      expect(seen.map(({ status }) => status)).toEqual(["PENDING"])
      yield* pass(4_000, 500)
      yield* Fiber.join(fiber)
      expect(seen.map(({ elapsedMillis, status }) => [status, elapsedMillis])).toEqual([
        ["PENDING", 1_000],
        ["RUNNING", 3_000],
        ["SUCCEEDED", 5_000]
      ])
      expect(seen[2]?.task.output.task_id).toBe(taskId)
    })
  )
})
