import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Logger from "effect/Logger"
import { describe } from "vitest"
import { entryOf, lineOf, type LogEntry } from "../../src/observe/LogEntry.ts"

const entry = (fields: LogEntry["fields"], message = "something happened"): LogEntry => ({
  at: new Date(0),
  level: "Warn",
  message,
  fields
})

const json = (fields: LogEntry["fields"], message?: string): Record<string, unknown> =>
  JSON.parse(lineOf("json", entry(fields, message)))

/** Ends a line, or is read by a terminal. */
const isControl = (one: string): boolean =>
  one < " " || (one >= "\u007f" && one <= "\u009f") || one === "\u2028" || one === "\u2029"

const key = "tg_00000000000000000000000000000000s858ht0"

describe("a log line", () => {
  it("is one JSON object with time, level, message and fields", () => {
    assert.deepStrictEqual(json({ requestId: "req_1", status: 500, chargeMicros: 12n, none: undefined, list: [1] }), {
      time: "1970-01-01T00:00:00.000Z",
      level: "warn",
      message: "something happened",
      requestId: "req_1",
      status: 500,
      chargeMicros: 12,
      list: "[1]"
    })
  })

  it("has the tags of a call as an object, without control characters and keys", () => {
    const tags = { team: "search", job: "a\nb\u2028", key }
    const made = { ...entry({ status: 200 }), tags }
    const line = lineOf("json", made)
    assert.deepStrictEqual(JSON.parse(line).tags, { ...tags, key: "<redacted>" })
    for (const text of [line, lineOf("readable", made)]) {
      assert.isFalse(Array.from(text.slice(0, -1)).some(isControl))
      assert.include(text, '"team":"search"')
    }
  })

  it("is readable by people", () => {
    assert.strictEqual(
      lineOf("readable", entry({ provider: "main", reason: "no answer", status: 500 })),
      '1970-01-01T00:00:00.000Z WARN  something happened provider=main reason="no answer" status=500\n'
    )
  })

  it("cannot be made into two, or into commands for a terminal, by what a caller sends", () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes))
    const text = fc.oneof(units, fc.constantFrom("a\nb", "\r\n{}", "\u001b[2J", "\u2028", "\u009b31m"))
    fc.assert(
      fc.property(text, text, text, (name, value, message) => {
        for (const format of ["json", "readable"] as const) {
          const line = lineOf(format, entry({ [name]: value, nested: { [name]: value } }, message))
          assert.isTrue(line.endsWith("\n"))
          assert.isFalse(Array.from(line.slice(0, -1)).some(isControl))
        }
        assert.strictEqual(json({}, message).level, "warn")
      }),
      { numRuns: 50 }
    )
  })

  it("keeps its own fields, whatever the others are called", () => {
    const made = json({ time: "never", level: "none", message: "forged" })
    assert.strictEqual(made.level, "warn")
    assert.strictEqual(made.message, "something happened")
  })

  it("has a bound", () => {
    const huge = "x".repeat(20_000)
    const fields = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}${huge}`, huge]))
    assert.isBelow(lineOf("json", entry(fields, huge)).length, 100_000)
  })

  it("holds no key and no token, wherever they are", () => {
    for (const format of ["json", "readable"] as const) {
      const fields = { header: `Bearer ${key}`, url: `/v1?key=${key}`, nested: { authorization: "Basic dXNlcjpwYXNz" } }
      const line = lineOf(format, entry(fields, `failed with ${key}`))
      assert.notInclude(line, key)
      assert.notInclude(line, "dXNlcjpwYXNz")
      assert.include(line, "<redacted>")
    }
  })

  it("is made of what a program logs", () => {
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>((options) => void lines.push(lineOf("json", entryOf(options))))
    const failure = new Error(`could not use ${key}`)
    return Effect.gen(function* () {
      yield* Effect.annotateLogs(Effect.logError("a page could not be shown", { page: 1 }), { part: "docs" })
      yield* Effect.catchCause(Effect.die(failure), (cause) => Effect.logError("broken", cause))
      const [first, second] = lines.map((line): Record<string, unknown> => JSON.parse(line))
      assert.include(first, { level: "error", message: "a page could not be shown", page: 1, part: "docs" })
      assert.strictEqual(second?.message, "broken")
      assert.include(String(second?.defect), "logLine.test.ts")
      assert.notInclude(lines.join(), "could not use")
    }).pipe(Effect.provide(Logger.layer([logger])), Effect.runPromise)
  })
})
