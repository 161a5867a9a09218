import { expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Audit } from "@tollgate/gateway"
import { key, TestGateway } from "@tollgate/testing"
import { startGateway, startRecording, waitForExit } from "@tollgate/testing/crash/process"
import { seeded } from "@tollgate/testing/fleet/seeded"
import { type Format, formats, invoiced } from "@tollgate/testing/invoice/Reported"
import type { Invoiced } from "@tollgate/testing/invoice/upstream.program"
import { countOf } from "@tollgate-tooling/programs/counts.ts"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const runs = 4
const calls = countOf("INVOICE_CALLS", 60, 400)
const seed = Number(process.env.INVOICE_SEED ?? 1)

const path = (format: Format, isStream: boolean): string =>
  ({
    chat: "/v1/chat/completions",
    responses: "/v1/responses",
    messages: "/v1/messages",
    gemini: `/v1beta/models/m:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`
  })[format]

const bodyOf = (format: Format, isStream: boolean, text: string): object => {
  const stream = isStream ? { stream: true } : {}
  const said = [{ role: "user", content: text }]
  switch (format) {
    case "chat":
      return { model: "m", messages: said, ...stream }
    case "responses":
      return { model: "m", input: text, ...stream }
    case "messages":
      return { model: "m", max_tokens: 500, messages: said, ...stream }
    case "gemini":
      return { contents: [{ parts: [{ text }] }] }
  }
}

interface Asked {
  readonly format: Format
  readonly isStream: boolean
  readonly text: string
  /** How often an SDK has sent it before. `undefined`: nobody counts. */
  readonly attempt?: number
  /** After the first bytes of a stream. */
  readonly leaves: boolean
}

/** Errors are kills. */
const ask = async (baseUrl: string, { attempt, format, isStream, leaves, text }: Asked): Promise<void> => {
  const abort = new AbortController()
  try {
    const response = await fetch(`${baseUrl}${path(format, isStream)}`, {
      method: "POST",
      signal: abort.signal,
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${key}`,
        "x-api-key": key,
        "x-goog-api-key": key,
        ...(attempt === undefined ? {} : { "x-stainless-retry-count": String(attempt) })
      },
      body: JSON.stringify(bodyOf(format, isStream, text))
    })
    if (leaves) {
      await response.body?.getReader().read()
      abort.abort()
    } else await response.arrayBuffer()
  } catch {
    // The gateway was killed, or the caller has left.
  }
}

interface Call {
  readonly id: string
  readonly state: string
  readonly cost_state: string | null
  readonly charged: number
  readonly charged_nano: number | bigint | null
  readonly cost_nano: number | bigint | null
  readonly gaps: string | null
}

it.live(`random answers, tiers, leaves and kills: a charge is the price of what was reported (seed ${seed})`, () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "tollgate-invoice-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const filename = join(folder, "tollgate.db")
    yield* Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      yield* accounts.topUp(account, micro(10_000_000_000n), "for the campaign")
    }).pipe(Effect.provide(TestGateway.layer({ filename })))

    const record = yield* Effect.promise(async () => {
      const upstream = await startRecording<Invoiced>("../invoice/upstream", [String(seed)])
      const random = seeded(seed)
      for (let run = 0; run < runs; run++) {
        const isLast = run === runs - 1
        const nth = 1 + Math.floor(random() * calls * 0.7)
        const started = await startGateway(filename, upstream.baseUrl, isLast ? "" : "settled", isLast ? 0 : nth)
        if (started === undefined) continue
        let left = calls
        const caller = async () => {
          while (left-- > 0) {
            const format = formats[Math.floor(random() * formats.length)] ?? "chat"
            const isStream = random() < 0.5
            if (random() < 0.6) {
              await ask(started.baseUrl, { format, isStream, text: "Hi", leaves: isStream && random() < 0.2 })
              continue
            }
            // An SDK that sends it again: the answer was lost, or the stream was left at its beginning.
            const text = `call-${run}-${left}`
            for (let attempt = 0; attempt < 3; attempt++) {
              const leaves = isStream && attempt < 2 && random() < 0.7
              await ask(started.baseUrl, { format, isStream, text, attempt, leaves })
            }
          }
        }
        await Promise.all(Array.from({ length: 6 }, caller))
        started.child.kill("SIGKILL")
        await waitForExit(started.child)
      }
      const entries = await upstream.entries()
      upstream.stop()
      return entries
    })

    const { audit, balance, credited, rows } = yield* Effect.gen(function* () {
      const { account, accounts, sql } = yield* TestGateway
      const [sum] = yield* sql<{ readonly n: number }>`SELECT SUM(amount) AS n FROM entries`
      return {
        balance: (yield* accounts.get(account)).balance,
        audit: yield* Effect.provideService(Audit.run, SqlClient, sql),
        credited: sum?.n ?? 0,
        rows: yield* sql<Call>`SELECT id, state, cost_state, charged, charged_nano, cost_nano, gaps FROM calls WHERE owner <> ''`
      }
    }).pipe(Effect.provide(TestGateway.layer({ filename })))

    const due = new Map(record.map(({ reported, requestId }) => [requestId, invoiced(reported)]))
    expect(due.size).toBe(record.length)
    const settled = rows.filter(({ cost_state, state }) => state === "settled" && cost_state === "settled")
    const estimated = rows.filter(({ cost_state }) => cost_state === "estimated")
    console.log(
      `${record.length} answered, ${settled.length} settled, ${estimated.length} estimated, ` +
        `${rows.filter(({ state }) => state === "unknown").length} unknown`
    )
    expect(settled.length).toBeGreaterThan(calls / 2)
    // However often it is sent, whoever leaves and whatever is killed: nobody pays twice for a call.
    const repeated = new Map(record.flatMap(({ call, requestId }) => (call === undefined ? [] : [[requestId, call]])))
    const paid = rows.filter(({ charged, id }) => charged > 0 && repeated.has(id)).map(({ id }) => repeated.get(id))
    expect(paid.length).toBeGreaterThan(0)
    expect(paid.filter((call, i) => paid.indexOf(call) !== i)).toEqual([])
    for (const { charged_nano, id } of settled) expect([id, BigInt(charged_nano ?? -1)]).toEqual([id, due.get(id)])
    // The upstream has the same prices. What they leave out is a gap of the charge, and makes the cost unknown.
    for (const { charged_nano, cost_nano, gaps, id } of [...settled, ...estimated]) {
      expect([id, cost_nano ?? gaps]).toEqual([id, cost_nano === null ? expect.any(String) : charged_nano])
    }
    expect(rows.filter(({ cost_nano }) => cost_nano !== null).length).toBeGreaterThan(calls / 2)
    expect(audit.differences).toEqual([])
    expect(Number(balance)).toBe(credited - rows.reduce((all, { charged }) => all + charged, 0))
  }).pipe(Effect.scoped)
)
