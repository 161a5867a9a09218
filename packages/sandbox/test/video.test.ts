import { describe, expect, it } from "@effect/vitest"
import { taskGet } from "@tollgate/contract/operations/taskGet"
import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { emptyMemory, Memory } from "../src/data/Memory.ts"
import { table } from "../src/video/serve.ts"
import { call } from "./dataAsk.ts"

const created = Schema.decodeUnknownSync(videoCreate.success)
const polled = Schema.decodeUnknownSync(taskGet.success)

const post = (body: unknown, headers: Record<string, string> = {}) =>
  call(table["POST /apis/v1/services/aigc/video-generation/video-synthesis"], "POST", {
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
    headers
  })

const create = (prompt: string) =>
  Effect.map(post({ model: "sandbox-video", input: { prompt } }), ({ billed, body, operation, status }) => {
    expect({ billed, operation, status }).toEqual({ billed: {}, operation: "video.create", status: 200 })
    return created(body).output.task_id
  })

const get = (task_id: string, headers: Record<string, string> = {}) =>
  call(table["GET /apis/v1/services/aigc/tasks/{task_id}"], "GET", { parameters: { task_id }, headers })

const poll = (task_id: string) => Effect.map(get(task_id), ({ body }) => polled(body))

const status = (task_id: string) => Effect.map(poll(task_id), ({ output }) => output.task_status)

const fresh = (): Memory => emptyMemory()

const submitted = Date.UTC(2026, 10, 15, 4, 5, 6, 789)

describe("a task", () => {
  it.effect("is pending, runs and succeeds by the clock", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(submitted)
      const made = yield* post({ model: "sandbox-video", input: { prompt: "a red ball" }, parameters: { size: "1" } })
      const { output, request_id } = created(made.body)
      expect(output).toEqual({
        task_id: expect.stringMatching(/^sandbox_task_[\w-]+\.[0-9a-f]{8}$/),
        task_status: "PENDING"
      })
      expect(request_id).toMatch(/^sandbox-[0-9a-f]{8}$/)
      const id = output.task_id
      yield* TestClock.adjust(599)
      expect((yield* poll(id)).output).toEqual({
        task_id: id,
        task_status: "PENDING",
        submit_time: "2026-11-15 04:05:06.789"
      })
      yield* TestClock.adjust(1)
      expect((yield* poll(id)).output).toEqual({
        task_id: id,
        task_status: "RUNNING",
        submit_time: "2026-11-15 04:05:06.789",
        scheduled_time: "2026-11-15 04:05:07.389"
      })
      yield* TestClock.adjust(2_399)
      expect(yield* status(id)).toBe("RUNNING")
      yield* TestClock.adjust(1)
      const got = yield* get(id, { host: "127.0.0.1:8080", "x-request-id": "mine" })
      expect(got).toMatchObject({ operation: "video.create", billed: { tasks: 1 } })
      expect(polled(got.body)).toEqual({
        output: {
          task_id: id,
          task_status: "SUCCEEDED",
          video_url: expect.stringContaining(`http://127.0.0.1:8080/videos/${id}.webm?expires=`),
          orig_prompt: "a red ball",
          submit_time: "2026-11-15 04:05:06.789",
          scheduled_time: "2026-11-15 04:05:07.389",
          end_time: "2026-11-15 04:05:09.789"
        },
        usage: { output_video_duration: 2, video_count: 1, SR: 90 },
        request_id: "mine"
      })
    })
  )

  it.effect("is billed once, however often it is polled", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.forEach(["[task 5ms]", "[task 5ms]"], create)
      expect(new Set(ids).size).toBe(2)
      for (const id of ids) expect((yield* get(id)).billed).toEqual({})
      yield* TestClock.adjust(5)
      for (const id of ids) expect((yield* get(id)).billed).toEqual({ tasks: 1 })
      for (const id of ids) expect(yield* get(id)).toMatchObject({ billed: {}, operation: "task.get" })
    })
  )

  it.effect("that fails has a code and a message, and costs nothing", () =>
    Effect.gen(function* () {
      const id = yield* create("[task fails] [task 10ms]")
      yield* TestClock.adjust(10)
      const { billed, body } = yield* get(id)
      expect(billed).toEqual({})
      const { output, usage } = polled(body)
      expect(output).toMatchObject({ task_status: "FAILED", code: expect.any(String), message: expect.any(String) })
      expect(output).not.toHaveProperty("video_url")
      expect(output.end_time).toBeDefined()
      expect(usage).toBeUndefined()
    })
  )

  it.effect("that is canceled costs nothing, or half if the prompt says so", () =>
    Effect.gen(function* () {
      const whole = yield* create("[task canceled]")
      const half = yield* create("[task canceled half]")
      yield* TestClock.adjust(3_000)
      const [one, other] = [yield* get(whole), yield* get(half)]
      expect(one.billed).toEqual({})
      expect(polled(one.body)).not.toHaveProperty("usage")
      expect(other.billed).toEqual({ halves: 1 })
      expect(polled(other.body).usage).toMatchObject({ output_video_duration: 1, video_count: 0 })
      expect((yield* get(half)).billed).toEqual({})
      for (const { body } of [one, other]) expect(polled(body).output.task_status).toBe("CANCELED")
    })
  )

  it.effect("that never ends keeps running, and one that expires is unknown after its end", () =>
    Effect.gen(function* () {
      const never = yield* create("[task never]")
      const expires = yield* create("[task expires]")
      const usual = yield* create("usual")
      expect([yield* status(never), yield* status(expires)]).toEqual(["PENDING", "PENDING"])
      yield* TestClock.adjust(2_999)
      expect([yield* status(never), yield* status(expires)]).toEqual(["RUNNING", "RUNNING"])
      yield* TestClock.adjust(1)
      const gone = yield* poll(expires)
      expect(gone.output).toEqual({ task_id: expires, task_status: "UNKNOWN" })
      yield* TestClock.adjust(86_399_999)
      expect(yield* status(usual)).toBe("SUCCEEDED")
      yield* TestClock.adjust(1)
      expect(yield* status(usual)).toBe("UNKNOWN")
      expect(yield* status(never)).toBe("RUNNING")
    })
  )

  it.effect("survives a restart, but its prompt does not", () =>
    Effect.gen(function* () {
      const id = yield* create("a red ball").pipe(Effect.provideService(Memory, fresh()))
      const after = fresh()
      yield* TestClock.adjust(3_000)
      const { output } = yield* poll(id).pipe(Effect.provideService(Memory, after))
      expect(output.task_status).toBe("SUCCEEDED")
      expect(output.orig_prompt).toContain("lost")
      expect((yield* get(id).pipe(Effect.provideService(Memory, after))).billed).toEqual({})
    })
  )

  it.effect("the number of stored prompts is limited", () =>
    Effect.gen(function* () {
      const memory = yield* Memory
      for (let i = 0; i < 1_010; i++) yield* create("x")
      expect(memory.prompts.size).toBe(1_000)
    }).pipe(Effect.provideService(Memory, fresh()))
  )
})

describe("an invalid task", () => {
  it.effect("an id that the sandbox did not make is UNKNOWN", () =>
    Effect.gen(function* () {
      const id = yield* create("x")
      const other = `${id.startsWith("A") ? "B" : "A"}${id.slice(1)}`
      for (const text of [
        other,
        `${id}=`,
        `${id}A`,
        `${id}AAAA`,
        id.slice(1),
        "",
        "__proto__",
        "%ff",
        "é",
        "../x",
        "x".repeat(9_999)
      ]) {
        const { billed, body, status: http } = yield* get(text)
        expect({ http, billed }).toEqual({ http: 200, billed: {} })
        expect(polled(body).output).toEqual({ task_id: text, task_status: "UNKNOWN" })
      }
    })
  )

  it.effect("an id in the query is refused", () =>
    Effect.gen(function* () {
      const tasks = (query?: string) =>
        call(table["GET /apis/v1/services/aigc/tasks"], "GET", query === undefined ? {} : { query })
      expect(yield* tasks("task_id=x")).toMatchObject({ status: 500, body: { message: "unsupported uri" }, billed: {} })
      expect((yield* tasks()).status).toBe(404)
      expect((yield* tasks("task_id=%ff")).status).toBe(400)
    })
  )

  it.effect("an invalid request is refused in the flat format", () =>
    Effect.gen(function* () {
      for (const body of [
        "",
        "{",
        "null",
        "[]",
        new Uint8Array([0xff]),
        {},
        { model: "sandbox-video" },
        { model: "sandbox-video", input: {} },
        { model: "sandbox-video", input: { prompt: 1 } },
        { model: "sandbox-video", input: { prompt: " " } },
        { model: "sandbox-video", input: { prompt: "x".repeat(8_001) } },
        { model: "other", input: { prompt: "x" } },
        { input: { prompt: "x" } }
      ]) {
        const { billed, body: answer, status: http } = yield* post(body, { "x-request-id": "mine" })
        expect({ http, billed, answer }).toEqual({
          http: 400,
          billed: {},
          answer: { code: "InvalidParameter", message: expect.any(String), request_id: "mine" }
        })
      }
      expect((yield* call(table["POST /apis/v1/services/aigc/video-generation/video-synthesis"], "POST")).status).toBe(
        400
      )
    })
  )
})
