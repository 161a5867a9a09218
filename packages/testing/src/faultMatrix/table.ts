import type { Cell } from "./cell.ts"

const heads = ["fault", "client", "sent", "waited", "billed", "charged", "the caller got", "outcome", "charge", "id"]

const row = ({ client, fault, result, waitedMillis }: Cell): ReadonlyArray<string> => {
  if (result === undefined) return [fault, client, "n/a", "", "", "", "", "", "", ""]
  const { billed, charged, caller, sent } = result
  const got = [caller.got, caller.status, caller.code].filter((part) => part !== undefined)
  return [
    fault,
    client,
    String(sent),
    waitedMillis === undefined ? "" : `${(waitedMillis / 1000).toFixed(1)} s`,
    String(billed),
    String(charged),
    got.join(" "),
    caller.outcome ?? "",
    caller.charge ?? "",
    caller.requestId === true ? "yes" : ""
  ]
}

/** A Markdown table. */
export const table = (cells: ReadonlyArray<Cell>): string => {
  const rows = [heads, ...cells.map(row)]
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>) => `| ${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join(" | ")} |`
  return [line(heads), line(widths.map((width) => "-".repeat(width))), ...rows.slice(1).map(line)].join("\n")
}
