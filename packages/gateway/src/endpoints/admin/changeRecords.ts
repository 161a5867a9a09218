import {
  describeSqlError,
  number,
  type Row,
  type Rows,
  text,
  textOrNull,
  type Value
} from "@tollgate/ledger/store/rows"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { time } from "../managementApi/shapes.ts"
import type { PriceChange, PriceRecord, PriceRecordDetails } from "@tollgate/contract/admin/Prices"
import { AccountsError } from "@tollgate/ledger/account/Accounts"

/** Who asks the admin API, as far as a record tells it. */
export interface AdminRequest {
  readonly requestId: string
  readonly address: string | undefined
}

const most = 100

const common = ["id", "at", "address", "note", "state"]

/** What every record of a change says. */
export const recordOf = (row: Row) => ({
  id: text(row, "id"),
  at: time(number(row, "at")),
  address: textOrNull(row, "address"),
  note: text(row, "note"),
  state: text(row, "state") as "applied" | "refused" | "begun"
})

/** Who changed the configuration file, in a table of this kind of change. `listed`: its own columns that a list shows. */
export const changeRecords = ({ insert, mark, run }: Rows, table: string, listed: ReadonlyArray<string>) => {
  const shown = [...common, ...listed].join(", ")
  return {
    /** Written before the file, so that no change is without a record. */
    begin: ({ address, requestId }: AdminRequest, note: string, own: Readonly<Record<string, Value>>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        insert(
          table,
          [...common, ...Object.keys(own)],
          [[requestId, now, address ?? null, note, "begun", ...Object.values(own)]]
        )
      ).pipe(doesNotTouchLedger),

    /** If the store fails now, the file is written all the same: the record stays as it began. */
    end: ({ requestId }: AdminRequest, state: "applied" | "refused") =>
      run(`UPDATE ${table} SET state = ${mark(1)} WHERE id = ${mark(2)}`, [state, requestId]).pipe(
        doesNotTouchLedger,
        Effect.tapError((error) =>
          Effect.logError("the end of a change is not recorded", {
            requestId,
            state,
            table,
            ...describeSqlError(error)
          })
        ),
        Effect.ignore
      ),

    list: doesNotTouchLedger(run(`SELECT ${shown} FROM ${table} ORDER BY at DESC, id DESC LIMIT ${most}`, [])),

    find: (id: string) => doesNotTouchLedger(run(`SELECT * FROM ${table} WHERE id = ${mark(1)}`, [id]))
  }
}

interface AppliedChanges {
  readonly note: string
  readonly changed: number
  readonly changes: ReadonlyArray<PriceChange>
}

const priceRecordOf = (row: Row): PriceRecord => ({ ...recordOf(row), changed: number(row, "changed") })

/** Who applied which prices. */
export const priceRecords = (rows: Rows) => {
  const { begin, end, find, list } = changeRecords(rows, "price_records", ["changed"])
  return {
    begin: (asked: AdminRequest, { changed, changes, note }: AppliedChanges) =>
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
