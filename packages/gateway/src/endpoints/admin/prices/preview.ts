import type { PricePreview, PricePreviewLine } from "@tollgate/contract/admin/Prices"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Rows from "@tollgate/ledger/store/rows"
import type { Window } from "@tollgate/ledger/usage/Query"
import { amount } from "../../managementApi/shapes.ts"
import { type FindPrice, recompute, type SettledCall, settledCalls } from "./recorded.ts"

const noCalls = () => ({
  calls: 0,
  notComputable: 0,
  valueBefore: 0n,
  valueAfter: 0n,
  chargedBefore: 0n,
  chargedAfter: 0n
})

type Sums = ReturnType<typeof noCalls>

const add = (sums: Sums, call: SettledCall, after: ReturnType<typeof recompute>): void => {
  sums.calls++
  if (after === undefined) {
    sums.notComputable++
    return
  }
  sums.valueBefore += call.value
  sums.chargedBefore += call.charged
  sums.valueAfter += after.value
  sums.chargedAfter += after.charged
}

const shown = (sums: Sums): Omit<PricePreviewLine, "operation" | "model"> => ({
  calls: sums.calls,
  not_computable: sums.notComputable,
  value_before_micros_usd: amount(sums.valueBefore),
  value_after_micros_usd: amount(sums.valueAfter),
  charged_before_micros_usd: amount(sums.chargedBefore),
  charged_after_micros_usd: amount(sums.chargedAfter)
})

/** A line of its own for each operation and model, up to this many: callers choose the names of models. */
const maxLines = 1_000

/** What these prices would have made of the calls that ended in the window, of at most `most` calls. */
export const preview = Effect.fnUntraced(function* (rows: Rows.Rows, window: Window, find: FindPrice, most: number) {
  const lines = new Map<string, { readonly operation: string; readonly model: string | null; readonly sums: Sums }>()
  const totals = noCalls()
  const lineOf = (operation: string, named: string | null) => {
    const known = lines.get(JSON.stringify([operation, named]))
    if (known !== undefined) return known
    const model = lines.size < maxLines ? named : null
    const id = JSON.stringify([operation, model])
    const line = lines.get(id) ?? { operation, model, sums: noCalls() }
    lines.set(id, line)
    return line
  }
  let read = 0
  yield* Stream.runForEach(Stream.take(settledCalls(rows, window), most + 1), (call) =>
    Effect.sync(() => {
      if (++read > most) return
      const { evidence, operation } = call
      const model = evidence?.kind === "model" ? evidence.model : undefined
      const after = recompute(call, find)
      add(lineOf(operation, model ?? null).sums, call, after)
      add(totals, call, after)
    })
  )
  const shownLines = [...lines.values()].map(({ model, operation, sums }) => ({ operation, model, ...shown(sums) }))
  const answer: Omit<PricePreview, "changed" | "changes"> = {
    start_time: window.start / 1000,
    end_time: window.end / 1000,
    complete: read <= most,
    lines: shownLines,
    totals: shown(totals)
  }
  return answer
})
