import type { PriceChange, PriceRecord, PriceRecordDetails } from "@tollgate/contract/admin/Prices"
import { AccountsError } from "@tollgate/ledger/account/Accounts"
import { number, type Row, type Rows, text } from "@tollgate/ledger/store/rows"
import * as Effect from "effect/Effect"
import type { Asked } from "../Asked.ts"
import { changeRecords, recordOf } from "../changeRecords.ts"

export interface AppliedChanges {
  readonly note: string
  readonly changed: number
  readonly changes: ReadonlyArray<PriceChange>
}

const priceRecordOf = (row: Row): PriceRecord => ({ ...recordOf(row), changed: number(row, "changed") })

/** Who applied which prices. */
export const priceRecords = (rows: Rows) => {
  const { begin, end, find, list } = changeRecords(rows, "price_records", ["changed"])
  return {
    begin: (asked: Asked, { changed, changes, note }: AppliedChanges) =>
      begin(asked, note, { changed, changes: JSON.stringify(changes) }),
    end,
    list: Effect.map(list, (rows) => ({ records: rows.map(priceRecordOf) })),
    find: Effect.fnUntraced(function* (id: string) {
      const [row] = yield* find(id)
      if (row === undefined) {
        return yield* new AccountsError({ reason: "missing", message: `No prices were applied by the request ${id}.` })
      }
      const found: PriceRecordDetails = {
        ...priceRecordOf(row),
        changes: JSON.parse(text(row, "changes")) as PriceRecordDetails["changes"]
      }
      return found
    })
  }
}
