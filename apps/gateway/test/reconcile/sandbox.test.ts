import { describe, expect, it } from "@effect/vitest"
import { Host, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { calls, priced, streams } from "@tollgate/testing/models"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll } from "vitest"
import { compare } from "../../src/reconcile/Comparison.ts"
import { readStatement } from "../../src/reconcile/readStatement.ts"
import { readCalls, readRecords } from "../../src/reconcile/recorded.ts"
import { folder, removeFolders } from "../program.ts"

afterAll(removeFolders)

const host = Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))

const dayMillis = 86_400_000

/** The sandbox's own billing log, as Anthropic's usage report has it. */
const exported = Effect.gen(function* () {
  const { billingLog } = yield* TestGateway
  const start = (yield* Clock.currentTimeMillis) - ((yield* Clock.currentTimeMillis) % dayMillis)
  const entries = yield* billingLog.entries
  const time = (millis: number) => new Date(millis).toISOString()
  const path = join(folder(), "usage.json")
  const results = entries.map(({ billed }) => ({
    model: "sandbox",
    uncached_input_tokens: billed["input"],
    cache_read_input_tokens: billed["cacheRead"],
    cache_creation: { ephemeral_5m_input_tokens: billed["cacheWrite"], ephemeral_1h_input_tokens: 0 },
    output_tokens: billed["output"]
  }))
  const bucket = (at: number, of: ReadonlyArray<object>) => ({
    starting_at: time(at),
    ending_at: time(at + dayMillis),
    results: of
  })
  writeFileSync(path, JSON.stringify({ data: [bucket(start, results)], has_more: false }))
  return path
})

const reconciled = Effect.gen(function* () {
  const path = yield* exported
  const { sql } = yield* TestGateway
  const statement = yield* readStatement([path], {
    provider: undefined,
    aliases: new Map(),
    columns: new Map(),
    where: new Map()
  })
  const ours = { aliases: new Map<string, string>(), upstreams: [], from: undefined, to: undefined }
  return yield* Effect.gen(function* () {
    const { records, upstreams } = yield* readRecords(statement, ours)
    const lines = compare(statement, records, {
      tolerance: 0n,
      // The day counts as over.
      now: (yield* Clock.currentTimeMillis) + 2 * dayMillis,
      isInWindow: () => true,
      day: undefined,
      model: undefined
    })
    const over = lines.filter(({ isOver }) => isOver)
    return { lines, over, behind: (yield* readCalls(statement, ours, upstreams, over)).calls }
  }).pipe(Effect.provideService(SqlClient, sql))
})

describe("the sandbox's bill", () => {
  it.live("equals what was recorded, and a call that is broken shows up with its id", () =>
    Effect.gen(function* () {
      // A test that begins and ends on one day.
      if (dayMillis - ((yield* Clock.currentTimeMillis) % dayMillis) < 60_000) yield* Effect.sleep("60 seconds")
      for (const style of [streams.openai, streams.responses, streams.anthropic, streams.gemini]) {
        for (const scenario of ["", "cached;tokens=3"]) {
          for (const stream of [true, false]) {
            if (!stream && style === streams.gemini) continue
            const more = style === streams.gemini ? {} : { stream }
            const headers = { ...style.headers, ...(scenario === "" ? {} : { "x-tollgate-scenario": scenario }) }
            const { status } = yield* ask(
              "POST",
              style.path,
              headers,
              style.body(`Why do rivers bend? ${scenario}`, more)
            )
            expect(status).toBe(200)
          }
        }
      }
      // A stream settles after its last byte.
      for (;;) {
        const all = yield* calls
        if (all.length === 14 && all.every(({ state }) => state === "settled")) break
        yield* Effect.sleep("5 millis")
      }
      const before = yield* reconciled
      expect(before.lines.map(({ difference, kind }) => [kind, difference])).toEqual([
        ["input", 0n],
        ["cache_read", 0n],
        ["output", 0n]
      ])
      expect(before.lines.every(({ theirs }) => theirs !== undefined && theirs > 0n)).toBe(true)

      const { sql } = yield* TestGateway
      const broken = (yield* calls)[3]!
      const [row] = yield* sql.unsafe<{ evidence: string }>(`SELECT evidence FROM calls WHERE id = '${broken.id}'`)
      const evidence = JSON.parse(row!.evidence) as { usage: { output: number } }
      evidence.usage.output += 12_345
      yield* sql.unsafe(`UPDATE calls SET evidence = '${JSON.stringify(evidence)}' WHERE id = '${broken.id}'`)
      const after = yield* reconciled
      expect(after.over.map(({ difference, kind }) => [kind, difference])).toEqual([["output", -12_345n]])
      expect(after.behind.map(({ record }) => record.call.id)).toContain(broken.id)
      expect(after.behind).toHaveLength(14)
    }).pipe(Effect.provide(host))
  )
})
