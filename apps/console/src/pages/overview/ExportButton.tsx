import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import { Button } from "../../ui/Button.tsx"
import { usageCsv } from "./csv.ts"
import { dayText } from "./window.ts"

/** Saves a text as a file of this browser. */
const save = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  // The download has its own reference by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

export const ExportButton = ({ series }: { readonly series: UsageSeries | undefined }) => (
  <Button
    disabled={series === undefined}
    onClick={() => {
      if (series === undefined) return
      save(`usage-${dayText(series.start_time)}-${dayText(series.end_time - 1)}.csv`, usageCsv(series))
    }}
  >
    Export CSV
  </Button>
)
