import { TrailHead } from "@tollgate/contract/admin/Audit"
import { Admin, Audit, KeyHash } from "@tollgate/gateway"
import { gapShape, openGaps, Shapes, type Suspended, WebhookMarks } from "@tollgate/gateway/operator"
import * as Rows from "@tollgate/ledger/store/rows"
import { missing, readHead, withTrail, writeHead } from "@tollgate/ledger/trail/verify"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { pricing } from "../config/plan.ts"
import { configuration, forCommands } from "../settings/Settings.ts"
import * as Print from "../terminal/print.ts"
import { withProgress } from "../terminal/progress.ts"
import { printFields, printRows } from "./answer.ts"
import { json, textFlag } from "./inputs.ts"
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
const reportOf = (found: Audit.Audit, gaps: Gaps, trailHead: string) => ({
  differences: found.differences.map((difference) => ({ ...difference })),
  open: found.open.map(shapeOf),
  running: found.running.map((call) => ({ ...shapeOf(call), task: call.task, status: call.status })),
  unknown: found.unknown.map(shapeOf),
  gaps: gaps.map(gapShape),
  overdrafts: found.overdrafts.map(({ amount, id, of }) => ({ of, id, amount_micros_usd: amount })),
  totals: Admin.auditTotals(found),
  trail_head: trailHead
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
  yield* Print.line(
    `\nTrail: ${report.trail_head}\nKeep this line elsewhere. An audit with --trail-head proves that nothing was cut.`
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
  ).pipe(Effect.mapError(({ message }) => new Print.CommandError({ message })))

const known = Flag.optional(
  Flag.withSchema(
    textFlag("trail-head", "head", "What an earlier audit printed: the entry must still be there"),
    TrailHead
  )
)

export const audit = Command.make("audit", { json, known }, ({ json, known }) =>
  inReadOnlyStore(
    Effect.gen(function* () {
      const rows = Rows.make(yield* SqlClient)
      const whole = withTrail(withProgress("Recalculating the ledger", Audit.run), rows, yield* KeyHash)
      const { differences, head, ...books } = yield* whole
      const cut = Option.isSome(known) ? yield* missing(rows, readHead(known.value)) : []
      const found = { ...books, differences: [...differences, ...cut] }
      const gaps = openGaps(found.gaps, yield* findPrice)
      const report = reportOf(found, gaps, writeHead(head))
      yield* json ? Print.json(report) : asTables(report)
      yield* tellEndpoints(found)
      const { length } = found.differences
      if (length > 0) {
        return yield* Print.fail(`The ledger has ${length} ${length === 1 ? "difference" : "differences"}.`)
      }
    })
  )
).pipe(
  Command.withDescription(
    "Recalculate the ledger and list unfinished calls, overdrafts and usage without a price; exit code 1 if the ledger differs"
  ),
  Command.withShortDescription("Recalculate the ledger, and exit with 1 if it differs")
)
