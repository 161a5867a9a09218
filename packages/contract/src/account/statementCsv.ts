import { formatUsd, fromMicros, micro } from "../Money.ts"
import type { Statement } from "./Billing.ts"

/** Text that a spreadsheet would calculate is marked as text. */
const quoted = (text: string): string => {
  const safe = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A statement as lines of CSV, as RFC 4180 has it: the amounts from the opening balance on add up to the closing balance. */
export const statementCsv = (statement: Statement): string => {
  const { closing_micros_usd, left_out_micros_usd, month, opening_micros_usd, transactions } = statement
  let balance = BigInt(opening_micros_usd)
  const line = (kind: string, at: string, id: string, requests: number | "", note: string, added: bigint) => {
    balance += added
    const amounts = [added, balance].flatMap((micros) => [String(micros), formatUsd(fromMicros(micro(micros)))])
    return [kind, at, quoted(id), String(requests), quoted(note), ...amounts]
  }
  const lines = [
    ["kind", "at", "id", "requests", "note", "amount_micros_usd", "amount_usd", "balance_micros_usd", "balance_usd"],
    line("opening", `${month}-01T00:00:00.000Z`, "", "", "", 0n),
    ...transactions.map(({ amount_micros_usd, at, id, kind, note, requests }) =>
      line(kind, at, id, kind === "charges" ? requests : "", note, BigInt(amount_micros_usd))
    ),
    ...(BigInt(left_out_micros_usd) === 0n ? [] : [line("left_out", "", "", "", "", BigInt(left_out_micros_usd))]),
    line("closing", "", "", "", "", BigInt(closing_micros_usd) - balance)
  ]
  return lines.map((cells) => `${cells.join(",")}\r\n`).join("")
}
