import type { Rows } from "../store/rows.ts"
import { amount, number, type Row, text, textOrNull } from "../store/rows.ts"
import type { Entry } from "./Accounts.ts"

const most = 500

export const entryColumns = "id, kind, amount, note, at, call"

/** The statement takes the account's id. */
export const selectEntries = ({ mark }: Rows): string =>
  `SELECT ${entryColumns} FROM entries WHERE account = ${mark(1)} ORDER BY at DESC, id DESC LIMIT ${most}`

export const entryOf = (row: Row): Entry => ({
  id: text(row, "id"),
  kind: text(row, "kind"),
  amount: amount(row, "amount"),
  note: text(row, "note"),
  at: number(row, "at"),
  call: textOrNull(row, "call")
})
