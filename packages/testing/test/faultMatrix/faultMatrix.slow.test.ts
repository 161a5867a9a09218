import { beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Cell, cell, type Result } from "@tollgate/testing/faultMatrix/cell"
import { type ClientName, clients } from "@tollgate/testing/faultMatrix/clients"
import { type FaultName, faults } from "@tollgate/testing/faultMatrix/faults"
import type { CallerResult } from "@tollgate/testing/faultMatrix/CallerResult"
import { table } from "@tollgate/testing/faultMatrix/table"

// Each client with its default settings makes one call for each fault, against its own gateway over sockets. Only the
// results of the Tollgate client are checked; those of the others are printed.

const requestId = true

const answer = { got: "answer" }
const refused = (got: string, status: number, code?: string): CallerResult => ({
  got,
  status,
  ...(code === undefined ? {} : { code }),
  requestId,
  outcome: "not executed",
  charge: "none"
})
const overCap: Result = { sent: 1, billed: 0, charged: 0, caller: refused("OverBudget", 402, "over_cap") }
const onRetry: Result = { sent: 2, billed: 1, charged: 1, caller: answer }
/** The time is of the whole call, so it is not sent again. The key tells the app what became of it. */
const stalled: Result = {
  sent: 1,
  billed: expect.any(Number),
  charged: expect.any(Number),
  caller: { got: "OutcomeUnknown", code: "timeout", outcome: "unknown" }
}
const broken = (got: string, more: { readonly charge?: string; readonly code?: string } = {}): Result => ({
  sent: 1,
  billed: 1,
  charged: 1,
  caller: { got, requestId, outcome: "executed", ...more }
})

const expected: Readonly<Record<FaultName, Result>> = {
  "500": {
    sent: 1,
    billed: 0,
    charged: 0,
    caller: { got: "ServerFault", status: 500, requestId, outcome: "unknown", charge: "none" }
  },
  "429, Retry-After 2": onRetry,
  "429, Retry-After 90": {
    sent: 1,
    billed: 0,
    charged: 0,
    caller: refused("RateLimited", 429, "upstream_rate_limit")
  },
  "429, Retry-After date": onRetry,
  "reset, request not seen": onRetry,
  "reset, request executed": onRetry,
  "reset, half of the answer": onRetry,
  "stall, no answer": stalled,
  "stall, half of the answer": stalled,
  "upstream reset, call executed": {
    sent: 2,
    billed: 1,
    charged: 0,
    caller: { got: "OutcomeUnknown", status: 409, code: "idempotency_unknown", requestId, outcome: "unknown" }
  },
  "HTML with 200, upstream": {
    sent: 1,
    billed: 0,
    charged: 0,
    caller: {
      got: "UpstreamFailed",
      status: 502,
      code: "answer_not_metered",
      requestId,
      outcome: "executed",
      charge: "none"
    }
  },
  "HTML with 200, from a proxy": {
    sent: 1,
    billed: 0,
    charged: 0,
    caller: { got: "AnswerInvalid", status: 200, outcome: "unknown", charge: "unknown" }
  },
  "stream truncated": broken("StreamFailed", { charge: "estimated", code: "upstream_failed" }),
  "stream stalls": broken("StreamTimedOut"),
  "stream with an error": broken("StreamFailed", { charge: "estimated" }),
  "refused, usage": { sent: 1, billed: 0, charged: 0, caller: refused("Unauthenticated", 401) },
  "refused, data": overCap,
  "refused, openai": overCap,
  "refused, anthropic": overCap,
  "refused, gemini": overCap,
  "refused, task": overCap
}

const names = Object.keys(clients) as Array<ClientName>
let cells: ReadonlyArray<Cell> = []

beforeAll(async () => {
  const all = faults.flatMap((fault) => names.map((client) => cell(fault, client)))
  cells = await Effect.runPromise(Effect.all(all, { concurrency: 12 }))
  console.log(`one call each; only the first attempt has the fault\n${table(cells)}`)
})

const ours = (fault: FaultName) => cells.find((cell) => cell.client === "tollgate" && cell.fault === fault)

describe("the Tollgate client", () => {
  for (const { name } of faults) it(name, () => expect(ours(name)?.result).toEqual(expected[name]))

  it("no call is billed or charged twice", () => {
    for (const { client, result } of cells) {
      if (client !== "tollgate") continue
      expect(result?.billed).toBeLessThanOrEqual(1)
      expect(result?.charged).toBeLessThanOrEqual(1)
    }
  })

  it("the client waits as long as Retry-After says", () => {
    // A timer may fire slightly early.
    for (const fault of ["429, Retry-After 2", "429, Retry-After date"] as const) {
      expect(ours(fault)?.waitedMillis).toBeGreaterThan(1_980)
    }
  })
})

it("every client ran with every fault of its protocol", () => {
  const ran = cells.filter(({ result }) => result !== undefined)
  const count = (name: ClientName) => ran.filter(({ client }) => client === name).length
  expect(names.map(count)).toEqual([faults.length, faults.length, faults.length - 5, faults.length - 5])
  for (const { result } of ran) expect(result?.sent).toBeGreaterThan(0)
})
