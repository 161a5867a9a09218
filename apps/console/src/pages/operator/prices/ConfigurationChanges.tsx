import { trail } from "@tollgate/client/admin"
import type { PriceChange } from "@tollgate/contract/admin/Prices"
import type { TrailEntry } from "@tollgate/contract/admin/Trail"
import { counted } from "../../../ui/amounts.ts"
import { DialogButton } from "../../../ui/form.tsx"
import { Button, Code } from "../../../ui/kit.tsx"
import { type Column, TableCard } from "../../../ui/Table.tsx"
import { fullTime } from "../../../ui/times.ts"
import { PriceChanges } from "./PriceChanges.tsx"

export const loadConfigurationChanges: ReturnType<typeof trail> = trail({ of: "configuration", limit: 100 })

/** What an entry of the trail says of the configuration. */
type Changed = Partial<{
  readonly changed: number
  readonly changes: ReadonlyArray<PriceChange | string>
  readonly upstream: string
  readonly operations: number
}>

const What = ({ entry }: { readonly entry: TrailEntry }) => {
  const { changed, changes, operations = 0, upstream } = entry.after as Changed
  if (changes === undefined) return `${upstream ?? ""}: ${counted(operations, "operation")}`
  const words = changes.filter((change) => typeof change === "string")
  const prices = changes.filter((change) => typeof change !== "string")
  const isLoad = entry.action === "configuration loaded"
  const label = counted(changed ?? changes.length, isLoad ? "change" : "price")
  return (
    <DialogButton
      label={label}
      name={`${label} of ${fullTime(entry.at)}`}
      title={isLoad ? "Loaded configuration" : "Applied prices"}
    >
      {(close) => (
        <>
          {isLoad ? <Code title="What changed" code={words.join("\n")} /> : <PriceChanges changes={prices} />}
          <div className="row">
            <Button onClick={close}>Close</Button>
          </div>
        </>
      )}
    </DialogButton>
  )
}

const columns: ReadonlyArray<Column<TrailEntry>> = [
  { head: "Time", kind: "name", cell: ({ at }) => fullTime(at) },
  { head: "Who", cell: ({ who }) => who },
  { head: "Change", cell: ({ action }) => action },
  { head: "What", cell: (entry) => <What entry={entry} /> },
  { head: "Sent from", className: "mono", cell: ({ address }) => address },
  { head: "Note", cell: ({ why }) => why }
]

/** Who changed the configuration, and what. Nothing is shown while nobody did. */
export const ConfigurationChanges = ({ entries }: { readonly entries: ReadonlyArray<TrailEntry> }) =>
  entries.length === 0 ? null : (
    <TableCard title="Changes" columns={columns} rows={entries} keyOf={({ seq }) => String(seq)} />
  )
