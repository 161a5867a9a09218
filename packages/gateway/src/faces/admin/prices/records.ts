import type { PriceChange, PriceRecord, PriceRecordDetails } from "@tollgate/contract/admin/Prices"
import { AccountsError } from "@tollgate/ledger/account/Accounts"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import { number, type Row, type Rows, text, textOrNull } from "@tollgate/ledger/store/rows"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { time } from "../../ownApi/shapes.ts"
import type { Asked } from "../Asked.ts"

const most = 100

const shown = "id, at, address, note, state, changed"

const recordOf = (row: Row): PriceRecord => ({
  id: text(row, "id"),
  at: time(number(row, "at")),
  address: textOrNull(row, "address"),
  note: text(row, "note"),
  state: text(row, "state") as PriceRecord["state"],
  changed: number(row, "changed")
})

export interface AppliedChanges {
  readonly note: string
  readonly changed: number
  readonly changes: ReadonlyArray<PriceChange>
}

/** Who applied which prices. */
export const priceRecords = ({ insert, mark, run }: Rows) => ({
  /** Written before the file, so that no change is without a record. */
  begin: ({ address, requestId }: Asked, { changed, changes, note }: AppliedChanges) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      insert(
        "price_records",
        ["id", "at", "address", "note", "state", "changed", "changes"],
        [[requestId, now, address ?? null, note, "begun", changed, JSON.stringify(changes)]]
      )
    ).pipe(doesNotTouchLedger),

  /** If the store fails now, the file is written all the same: the record stays as it began. */
  end: ({ requestId }: Asked, state: "applied" | "refused") =>
    run(`UPDATE price_records SET state = ${mark(1)} WHERE id = ${mark(2)}`, [state, requestId]).pipe(
      doesNotTouchLedger,
      Effect.tapError(() => Effect.logError("the end of a price change is not recorded", { requestId, state })),
      Effect.ignore
    ),

  list: Effect.map(
    doesNotTouchLedger(run(`SELECT ${shown} FROM price_records ORDER BY at DESC, id DESC LIMIT ${most}`, [])),
    (rows) => ({ records: rows.map(recordOf) })
  ),

  find: Effect.fnUntraced(function* (id: string) {
    const [row] = yield* doesNotTouchLedger(
      run(`SELECT ${shown}, changes FROM price_records WHERE id = ${mark(1)}`, [id])
    )
    if (row === undefined) {
      return yield* new AccountsError({ reason: "missing", message: `No prices were applied by the request ${id}.` })
    }
    const found: PriceRecordDetails = {
      ...recordOf(row),
      changes: JSON.parse(text(row, "changes")) as PriceRecordDetails["changes"]
    }
    return found
  })
})
