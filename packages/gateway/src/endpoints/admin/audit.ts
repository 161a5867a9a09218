import type { audit as routes, AuditReport } from "@tollgate/contract/admin/Audit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type { Audit } from "@tollgate/ledger/audit/Audit"
import { singleFlight } from "../../internal/once.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { amount, time } from "../managementApi/shapes.ts"

const text = (value: bigint | string | null): string | null => (value === null ? null : String(value))

const report = (found: Audit, at: number, tookMillis: number): AuditReport => ({
  at: time(at),
  took_ms: tookMillis,
  correct: found.differences.length === 0,
  differences: found.differences.map(({ expected, stored, ...where }) => ({
    ...where,
    stored: text(stored),
    expected: text(expected)
  })),
  open: found.open.length,
  running: found.running.length,
  unknown: found.unknown.length,
  overdrafts: found.overdrafts.length,
  totals: {
    accounts: amount(found.totals.accounts),
    keys: amount(found.totals.keys),
    grants: amount(found.totals.grants),
    calls: amount(found.totals.calls),
    entered_micros_usd: amount(found.totals.entered),
    charged_micros_usd: amount(found.totals.charged),
    loss_micros_usd: amount(found.totals.loss),
    balance_micros_usd: amount(found.totals.balance),
    reserved_micros_usd: amount(found.totals.reserved)
  }
})

/** One audit runs at a time. A request that comes meanwhile gets the report of that one. */
export const auditHandlers = (audit: Effect.Effect<Audit, SqlError>, scope: Scope): Handlers<typeof routes> => {
  const once = singleFlight<AuditReport, SqlError>(scope)
  const reported = Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    const found = yield* audit
    return report(found, started, (yield* Clock.currentTimeMillis) - started)
  })
  return { audit: () => once("", reported) }
}
