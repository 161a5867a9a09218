import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import { Menu } from "../../ui/Menu.tsx"
import { saveCsv } from "../../ui/save.ts"
import { type Table, usageCsv } from "./csv.ts"
import { dayText } from "./window.ts"

const optionsOf = ({ bucket_width }: UsageSeries): ReadonlyArray<readonly [Table, string]> => [
  ["time", bucket_width === "1h" ? "By hour" : "By day"],
  ["operation", "By operation"],
  ["model", "By model"],
  ["key", "By key"]
]

const nameOf = ({ bucket_width, end_time, start_time }: UsageSeries, table: Table): string => {
  const rows = table === "time" ? (bucket_width === "1h" ? "hour" : "day") : table
  return `usage-by-${rows}-${dayText(start_time)}-${dayText(end_time - 1)}.csv`
}

/** Saves the figures of the window, one table in a file. */
export const ExportMenu = ({ series }: { readonly series: UsageSeries }) => (
  <Menu
    label="Export CSV"
    options={optionsOf(series)}
    onChoose={(table) => saveCsv(nameOf(series, table), usageCsv(series, table))}
  />
)
