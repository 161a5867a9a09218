import { micro } from "@tollgate/contract/Money"
import { Audit } from "@tollgate/gateway"
import { gapShape, openGaps, Shapes, type Suspended, WebhookMarks } from "@tollgate/gateway/operator"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { pricing } from "../config/plan.ts"
import { configuration, forCommands } from "../settings/Settings.ts"
import * as Print from "../terminal/print.ts"
import { CommandError } from "../terminal/print.ts"
import { withProgress } from "../terminal/progress.ts"
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

interface Listed extends Suspended {
  readonly state: string
}

const columns: Readonly<Record<string, (call: Listed) => string>> = {
  call: ({ id }) => id,
  state: ({ state }) => state,
  account: ({ account }) => account,
  key: ({ key }) => key,
  operation: ({ operation }) => operation,
  "at most": ({ reserved }) => Print.usd(reserved),
  since: ({ createdAt }) => Shapes.time(createdAt)
}

type Gaps = ReturnType<typeof openGaps>

const asJson = ({ differences, open, overdrafts, running, totals, unknown }: Audit.Audit, gaps: Gaps) =>
  Print.json({
    differences,
    open: open.map(shapeOf),
    running: running.map((call) => ({ ...shapeOf(call), task: call.task, status: call.status })),
    unknown: unknown.map(shapeOf),
    gaps: gaps.map(gapShape),
    overdrafts: overdrafts.map(({ amount, id, of }) => ({ of, id, amount_micros_usd: amount })),
    totals: {
      accounts: totals.accounts,
      keys: totals.keys,
      grants: totals.grants,
      calls: totals.calls,
      entered_micros_usd: totals.entered,
      charged_micros_usd: totals.charged,
      loss_micros_usd: totals.loss,
      balance_micros_usd: totals.balance,
      reserved_micros_usd: totals.reserved
    }
  })

const asTables = Effect.fnUntraced(function* (
  { differences, open, overdrafts, running, totals, unknown }: Audit.Audit,
  gaps: Gaps
) {
  yield* Print.record({
    accounts: String(totals.accounts),
    keys: String(totals.keys),
    grants: String(totals.grants),
    calls: String(totals.calls),
    entered: Print.usd(totals.entered),
    charged: Print.usd(totals.charged),
    "lost to caps": Print.usd(totals.loss),
    balance: Print.usd(totals.balance),
    reserved: Print.usd(totals.reserved)
  })
  const withState = (calls: ReadonlyArray<Suspended>, state: string) => calls.map((call) => ({ ...call, state }))
  yield* Print.line("")
  yield* Print.table(
    [...withState(open, "open"), ...withState(running, "running"), ...withState(unknown, "unknown")],
    columns,
    "No call is open, running or unknown."
  )
  yield* Print.line("")
  yield* Print.table(
    overdrafts,
    {
      "below zero": ({ of }) => of,
      id: ({ id }) => id,
      by: ({ amount }) => Print.usd(amount)
    },
    "No balance, budget or quota is below zero."
  )
  yield* Print.line("")
  yield* Print.table(
    gaps,
    {
      "without a price": ({ name }) => name,
      model: ({ model, operation }) => model ?? operation,
      calls: ({ calls }) => String(calls),
      charged: ({ charged }) => Print.usd(micro(charged)),
      first: ({ firstAt }) => Shapes.time(firstAt),
      last: ({ lastAt }) => Shapes.time(lastAt),
      "such as": ({ example }) => example
    },
    "Nothing was used without a price in the last 30 days."
  )
  yield* Print.line("")
  yield* Print.table(
    differences,
    {
      table: ({ table }) => table,
      id: ({ id }) => id,
      column: ({ column }) => column,
      stored: ({ stored }) => String(stored),
      expected: ({ expected }) => String(expected)
    },
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
      const found = yield* withProgress("Recalculating the ledger", () => Audit.run)
      const gaps = openGaps(found.gaps, yield* findPrice)
      yield* json ? asJson(found, gaps) : asTables(found, gaps)
      yield* tellEndpoints(found)
      const { length } = found.differences
      if (length > 0) {
        return yield* new CommandError({
          message: `The ledger has ${length} ${length === 1 ? "difference" : "differences"}.`
        })
      }
    })
  )
).pipe(
  Command.withDescription(
    "Recalculate the ledger and list unfinished calls, overdrafts and usage without a price; exit code 1 if the ledger differs"
  ),
  Command.withShortDescription("Recalculate the ledger, and exit with 1 if it differs")
)
