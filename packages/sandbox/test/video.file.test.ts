import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { clip } from "../src/video/clip.ts"
import { rangeOf, table } from "../src/video/serve.ts"
import * as Task from "../src/video/Task.ts"
import { call } from "./dataAsk.ts"

const size = clip.bytes.length

const id = Task.Id.seal({ created: 0, duration: 1_000, ending: "succeeds", number: 1_000_000 })

const address = Effect.gen(function* () {
  const { body } = yield* call(table["GET /apis/v1/services/aigc/tasks/{task_id}"], "GET", {
    parameters: { task_id: id }
  })
  return new URL((body as { output: { video_url: string } }).output.video_url)
})

const fetch = (url: URL, headers: Record<string, string> = {}) =>
  call(table["GET /videos/{file}"], "GET", {
    parameters: { file: url.pathname.replace("/videos/", "") },
    query: url.search.slice(1),
    headers
  })

describe("the video", () => {
  it.effect("is a WebM file that can be fetched whole or by range", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const url = yield* address
      expect(url.origin).toBe("http://sandbox.invalid")
      const whole = yield* fetch(url)
      expect(whole).toMatchObject({
        status: 200,
        contentType: "video/webm",
        billed: {},
        headers: { "accept-ranges": "bytes" }
      })
      expect([...whole.bytes.subarray(0, 4)]).toEqual([0x1a, 0x45, 0xdf, 0xa3])
      expect(size).toBe(1_320)
      const part = yield* fetch(url, { range: "bytes=1-3" })
      expect(part).toMatchObject({ status: 206, headers: { "content-range": `bytes 1-3/${size}` } })
      expect([...part.bytes]).toEqual([0x45, 0xdf, 0xa3])
      const beyond = yield* fetch(url, { range: `bytes=${size}-` })
      expect(beyond).toMatchObject({ status: 416, headers: { "content-range": `bytes */${size}` } })
      expect(beyond.bytes).toHaveLength(0)
    })
  )

  it.effect("can be fetched for six hours after its task ends", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const url = yield* address
      expect(url.searchParams.get("expires")).toBe(String(6 * 3_600 + 1))
      yield* TestClock.adjust(6 * 3_600_000 - 1)
      expect((yield* fetch(url)).status).toBe(200)
      expect((yield* address).href).toBe(url.href)
      yield* TestClock.adjust(1)
      expect((yield* fetch(url)).status).toBe(403)
      const longer = new URL(url)
      longer.searchParams.set("expires", String(99_999_999))
      expect((yield* fetch(longer)).status).toBe(403)
      expect((yield* fetch(new URL(url.pathname, url))).status).toBe(403)
    })
  )

  it.effect("is a 404 before its task succeeds, and for another id", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const url = yield* address
      for (const file of ["", id, `${id}.mp4`, ".webm", "__proto__.webm", `x${id}.webm`, "../../etc/passwd"]) {
        const got = yield* call(table["GET /videos/{file}"], "GET", {
          parameters: { file },
          query: url.search.slice(1)
        })
        expect(got).toMatchObject({ status: 404, billed: {} })
      }
      yield* TestClock.setTime(999)
      expect((yield* fetch(url)).status).toBe(404)
    })
  )
})

describe("a range", () => {
  it("is one part of the file; other headers are ignored", () => {
    const part = (first: number, last: number) => ({ kind: "part", first, last })
    const table: ReadonlyArray<readonly [string | undefined, object]> = [
      [undefined, { kind: "all" }],
      ["", { kind: "all" }],
      ["bytes=0-", part(0, 99)],
      ["bytes=0-0", part(0, 0)],
      ["bytes=99-", part(99, 99)],
      ["bytes=5-1000", part(5, 99)],
      ["bytes=-10", part(90, 99)],
      ["bytes=-1000", part(0, 99)],
      ["bytes=-0", { kind: "none" }],
      ["bytes=100-", { kind: "none" }],
      ["bytes=100-200", { kind: "none" }],
      ["bytes=9-3", { kind: "all" }],
      ["bytes=-", { kind: "all" }],
      ["bytes=0-1,5-6", { kind: "all" }],
      ["items=0-1", { kind: "all" }],
      ["bytes=x-y", { kind: "all" }]
    ]
    for (const [header, expected] of table) expect(rangeOf(header, 100), header).toEqual(expected)
  })
})

describe("a prompt", () => {
  it("sets duration and ending of its task in brackets", () => {
    const table: ReadonlyArray<readonly [string, object]> = [
      ["a ball", { ending: "succeeds", duration: 3_000 }],
      ["[task 200ms] a ball", { ending: "succeeds", duration: 200 }],
      ["a [task 5s] ball", { ending: "succeeds", duration: 5_000 }],
      ["[task 0ms]", { ending: "succeeds", duration: 0 }],
      ["[task 999999s]", { ending: "succeeds", duration: 3_600_000 }],
      ["[task fails]", { ending: "fails", duration: 3_000 }],
      ["[Task  Canceled   Half] [TASK 1s]", { ending: "canceled half", duration: 1_000 }],
      ["[task canceled]", { ending: "canceled", duration: 3_000 }],
      ["[task expires][task 2s][task never]", { ending: "never", duration: 2_000 }],
      [
        "[task succeeds] [task half] [task -1s] [task 1h] [task] task fails [fails]",
        { ending: "succeeds", duration: 3_000 }
      ]
    ]
    for (const [prompt, expected] of table) expect(Task.parsePrompt(prompt), prompt).toEqual(expected)
  })

  it("of any text gives a plan within bounds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { duration, ending } = Task.parsePrompt(`[task ${text}]${text}`)
        expect(Task.endings).toContain(ending)
        expect(duration).toBeLessThanOrEqual(3_600_000)
      })
    )
  })
})

describe("a task's id", () => {
  const task = fc.record({
    created: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
    duration: fc.integer({ min: 0, max: 3_600_000 }),
    ending: fc.constantFrom(...Task.endings),
    number: fc.integer({ min: 0, max: 2 ** 24 - 1 })
  })

  it("contains the task", () => {
    fc.assert(
      fc.property(task, (it) => {
        expect(Task.Id.open(Task.Id.seal(it))).toEqual(it)
      })
    )
  })

  it("is invalid after any change", () => {
    const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    fc.assert(
      fc.property(task, fc.nat(23), fc.constantFrom(...signs), (it, at, sign) => {
        const text = Task.Id.seal(it)
        const changed = text.slice(0, at) + sign + text.slice(at + 1)
        expect(Task.Id.open(changed)).toEqual(changed === text ? it : undefined)
      })
    )
  })
})
