import { Admin, Audit } from "@tollgate/gateway"
import { gapShape, openGaps, Shapes, type Suspended, WebhookMarks } from "@tollgate/gateway/operator"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { pricing } from "../config/plan.ts"
import { configuration, forCommands } from "../settings/Settings.ts"
import * as Print from "../terminal/print.ts"
import { CommandError, fail } from "../terminal/print.ts"
import { withProgress } from "../terminal/progress.ts"
import { printFields, printRows } from "./answer.ts"
import { json } from "./inputs.ts"
import { inReadOnlyStore, inStore } from "./inStore.ts"

const shapeOf = (call: Suspended) => ({
  request_id: call.id,
  account: call.account,
  key: call.key,
  operation: call.operation,
  reserved_micros_usd: call.reserved,
  created_at: Shapes.time(call.createdAt)
})

type Gaps = ReturnType<typeof openGaps>

/** The report as it is printed with --json. The tables have the same fields. */
const reportOf = (found: Audit.Audit, gaps: Gaps) => ({
  differences: found.differences.map((difference) => ({ ...difference })),
  open: found.open.map(shapeOf),
  running: found.running.map((call) => ({ ...shapeOf(call), task: call.task, status: call.status })),
  unknown: found.unknown.map(shapeOf),
  gaps: gaps.map(gapShape),
  overdrafts: found.overdrafts.map(({ amount, id, of }) => ({ of, id, amount_micros_usd: amount })),
  totals: Admin.auditTotals(found)
})

const asTables = Effect.fnUntraced(function* (report: ReturnType<typeof reportOf>) {
  const calls = (["open", "running", "unknown"] as const).flatMap((state) =>
    report[state].map((call) => ({ ...call, state }))
  )
  const gaps = report.gaps.map((gap) => ({ ...gap, model: gap.model ?? gap.operation }))
  yield* printFields(report.totals)
  yield* printRows(
    "Calls that have not ended, or whose end is unknown:",
    calls,
    ["request_id", "state", "account", "key", "operation", "reserved_micros_usd", "created_at"],
    "No call is open, running or unknown."
  )
  yield* printRows(
    "Below zero:",
    report.overdrafts,
    ["of", "id", "amount_micros_usd"],
    "No balance, budget or quota is below zero."
  )
  yield* printRows(
    "Used without a price in the last 30 days:",
    gaps,
    ["name", "model", "calls", "charged_micros_usd", "first_at", "last_at", "example"],
    "Nothing was used without a price in the last 30 days."
  )
  yield* printRows(
    "Differences:",
    report.differences,
    ["table", "id", "column", "stored", "expected"],
    "The ledger is consistent."
  )
})

/** The prices in force. Without them, as where a credential of an upstream is not set, what is priced by now is listed too. */
const findPrice = Effect.match(configuration, {
  onFailure: () => undefined,
  onSuccess: (config) => {
    const { contract, prices } = pricing(config)
    return (id: string, model: string | undefined) => {
      const operation = contract.byId.get(id)
      return operation && prices.of(operation, model)
    }
  }
})

/** A running gateway sends it. */
const tellEndpoints = ({ differences }: Audit.Audit) =>
  Effect.flatMap(forCommands, ({ webhooks }) =>
    webhooks.length === 0
      ? Effect.void
      : inStore(Effect.flatMap(WebhookMarks.make, ({ audited }) => audited(differences)))
  ).pipe(Effect.mapError(({ message }) => new CommandError({ message })))

export const audit = Command.make("audit", { json }, ({ json }) =>
  inReadOnlyStore(
    Effect.gen(function* () {
      const found = yield* withProgress("Recalculating the ledger", Audit.run)
      const gaps = openGaps(found.gaps, yield* findPrice)
      const report = reportOf(found, gaps)
      yield* json ? Print.json(report) : asTables(report)
      yield* tellEndpoints(found)
      const { length } = found.differences
      if (length > 0) {
        return yield* fail(`The ledger has ${length} ${length === 1 ? "difference" : "differences"}.`)
      }
    })
  )
).pipe(
  Command.withDescription(
    "Recalculate the ledger and list unfinished calls, overdrafts and usage without a price; exit code 1 if the ledger differs"
  ),
  Command.withShortDescription("Recalculate the ledger, and exit with 1 if it differs")
)
