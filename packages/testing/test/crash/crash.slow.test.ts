import { expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Audit } from "@tollgate/gateway"
import { key, TestGateway } from "@tollgate/testing"
import { campaign } from "@tollgate/testing/crash/campaign"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

// The full campaign: CRASH_KILLS=200 CRASH_REQUESTS=100000 pnpm test crash
const kills = Number(process.env.CRASH_KILLS ?? 6)
const requests = Number(process.env.CRASH_REQUESTS ?? 1_500)
const seed = Number(process.env.CRASH_SEED ?? 1)

/** Mulberry32: the same sequence for the same seed. */
const seeded = (state: number) => () => {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
}

interface Call {
  readonly id: string
  readonly state: string
  readonly reserved: number
  readonly cap: number | null
  readonly charged: number
  readonly loss: number
}

it.live(
  `${kills} times kill -9 under load: every answered call is charged once, and nothing else (seed ${seed})`,
  () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "tollgate-crash-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const filename = join(folder, "tollgate.db")
      // A gateway that shuts down normally creates the account and its key.
      yield* Effect.gen(function* () {
        const { account, accounts } = yield* TestGateway
        yield* accounts.topUp(account, micro(1_000_000_000n), "for the campaign")
      }).pipe(Effect.provide(TestGateway.layer({ filename })))

      const { acknowledged, billed, least, sent, slowestStartMillis, unanswered } = yield* Effect.promise(() =>
        campaign({ filename, kills, requests, connections: 16, key, random: seeded(seed) })
      )
      // One more start recovers what the last kill left open.
      const { account, audit, calls, counted, credited } = yield* Effect.gen(function* () {
        const { account, accounts, sql } = yield* TestGateway
        const [sum] = yield* sql<{ readonly n: number }>`SELECT SUM(amount) AS n FROM entries`
        const [totals] = yield* sql<{ readonly n: number }>`
          SELECT SUM(requests) AS n FROM account_sums WHERE span = 86400000`
        return {
          account: yield* accounts.get(account),
          audit: yield* Effect.provideService(Audit.run, SqlClient, sql),
          calls: yield* sql<Call>`SELECT id, state, reserved, cap, charged, loss FROM calls WHERE owner <> ''`,
          credited: sum?.n ?? 0,
          counted: totals?.n
        }
      }).pipe(Effect.provide(TestGateway.layer({ filename })))

      const byId = new Map(calls.map((call) => [call.id, call]))
      const count = (state: string) => calls.filter((call) => call.state === state).length
      console.log(
        `${sent} sent, ${acknowledged.size} acknowledged, ${unanswered} cut off; ` +
          `${count("settled")} settled, ${count("unknown")} unknown, ${count("released")} released; ` +
          `${billed.length} billed by the upstream; slowest start ${Math.round(slowestStartMillis)} ms`
      )
      expect(acknowledged.size + unanswered).toBe(sent)
      expect(acknowledged.size).toBeGreaterThanOrEqual(least.acknowledged)
      expect(unanswered).toBeGreaterThanOrEqual(Math.max(1, least.unanswered))
      // Nothing lost: each acknowledged answer is settled with the charge that was shown.
      for (const [id, shown] of acknowledged) expect(byId.get(id)).toMatchObject({ state: "settled", ...shown })
      // Nothing doubled: the upstream saw each request at most once, and each of its bills has a call.
      expect(new Set(billed.map(({ requestId }) => requestId)).size).toBe(billed.length)
      const tokens = new Map(billed.map(({ requestId, tokens }) => [requestId, tokens]))
      for (const { requestId } of billed) expect(["settled", "unknown"]).toContain(byId.get(requestId)?.state)
      for (const { cap, charged, id, loss, state } of calls) {
        // What the upstream reported is charged, also above the reservation, and at most the cap.
        const price = state === "settled" ? Math.round(((tokens.get(id) ?? Number.NaN) * 50) / 1000) : 0
        const paid = Math.min(price, cap ?? Infinity)
        expect({ id, charged, loss }).toEqual({ id, charged: paid, loss: price - paid })
      }
      expect(calls.some(({ charged, reserved }) => charged > reserved)).toBe(true)
      expect(calls.some(({ loss }) => loss > 0)).toBe(true)
      // No call is open after a start: each is counted, and balance and totals match the rows.
      expect(calls.filter(({ state }) => state !== "settled" && state !== "unknown")).toEqual([])
      expect(counted).toBe(calls.length)
      expect(audit.differences).toEqual([])
      const sum = (column: "charged" | "loss") => calls.reduce((all, call) => all + call[column], 0)
      expect(Number(account.balance)).toBe(credited - sum("charged"))
      expect(Number(audit.totals.loss)).toBe(sum("loss"))
    }).pipe(Effect.scoped),
  kills * 60_000 + 300_000
)
