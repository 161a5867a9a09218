import { Audit } from "@tollgate/gateway"
import * as Shapes from "@tollgate/gateway/faces/admin/shapes"
import type { Suspended } from "@tollgate/gateway/audit/suspended"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { CommandError } from "./chosen.ts"
import { json } from "./inputs.ts"
import { reading } from "./inStore.ts"
import * as Print from "./print.ts"

const shapeOf = (call: Suspended) => ({
  request_id: call.id,
  account: call.account,
  key: call.key,
  operation: call.operation,
  reserved_micros_usd: call.reserved,
  created_at: Shapes.time(call.createdAt)
})

const columns: Readonly<Record<string, (call: Suspended & { readonly state: string }) => string>> = {
  call: ({ id }) => id,
  state: ({ state }) => state,
  account: ({ account }) => account,
  key: ({ key }) => key,
  operation: ({ operation }) => operation,
  "at most": ({ reserved }) => Print.usd(reserved),
  since: ({ createdAt }) => Shapes.time(createdAt)
}

const asJson = ({ differences, open, running, totals, unknown, writtenOff }: Audit.Audit) =>
  Print.json({
    differences,
    open: open.map(shapeOf),
    running: running.map((call) => ({ ...shapeOf(call), task: call.task, status: call.status })),
    unknown: unknown.map(shapeOf),
    written_off: writtenOff.map(shapeOf),
    totals: {
      accounts: totals.accounts,
      keys: totals.keys,
      calls: totals.calls,
      entered_micros_usd: totals.entered,
      charged_micros_usd: totals.charged,
      balance_micros_usd: totals.balance,
      reserved_micros_usd: totals.reserved
    }
  })

const asTables = Effect.fnUntraced(function* ({
  differences,
  open,
  running,
  totals,
  unknown,
  writtenOff
}: Audit.Audit) {
  yield* Print.record({
    accounts: String(totals.accounts),
    keys: String(totals.keys),
    calls: String(totals.calls),
    entered: Print.usd(totals.entered),
    charged: Print.usd(totals.charged),
    balance: Print.usd(totals.balance),
    reserved: Print.usd(totals.reserved)
  })
  const of = (calls: ReadonlyArray<Suspended>, state: string) => calls.map((call) => ({ ...call, state }))
  yield* Print.line("")
  yield* Print.table(
    [...of(open, "open"), ...of(running, "running"), ...of(unknown, "unknown"), ...of(writtenOff, "written off")],
    columns,
    "No call is open, running, unknown or written off."
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
    "The books are right."
  )
})

export const audit = Command.make("audit", { json }, ({ json }) =>
  reading(
    Effect.gen(function* () {
      const found = yield* Audit.run
      yield* json ? asJson(found) : asTables(found)
      const { length } = found.differences
      if (length > 0) {
        return yield* new CommandError({
          message: `The books differ in ${length} ${length === 1 ? "place" : "places"}.`
        })
      }
    })
  )
).pipe(
  Command.withDescription("Add the ledger up again: exit code 1 where it differs; and the calls whose end is not known")
)
