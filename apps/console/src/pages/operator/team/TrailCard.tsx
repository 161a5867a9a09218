import { trail } from "@tollgate/client/admin"
import type { TrailEntry } from "@tollgate/contract/admin/Trail"
import { changeWords } from "@tollgate/contract/admin/trailWords"
import { useLoad } from "@tollgate/react/effect"
import { useDeferredValue, useMemo, useState } from "react"
import { usd } from "../../../ui/amounts.ts"
import { SearchField } from "../../../ui/form.tsx"
import { Empty } from "../../../ui/kit.tsx"
import { type Column, List } from "../../../ui/Table.tsx"
import { fullTime } from "../../../ui/times.ts"
import styles from "../operator.module.css"

const columns: ReadonlyArray<Column<TrailEntry>> = [
  { head: "Time", kind: "name", cell: ({ at }) => <time dateTime={at}>{fullTime(at)}</time> },
  { head: "Who", cell: ({ who }) => who },
  { head: "What", cell: ({ action }) => action },
  { head: "Of", className: `mono ${styles.id}`, title: ({ subject }) => subject, cell: ({ subject }) => subject },
  { head: "Change", className: "wrap", cell: (entry) => changeWords(entry, usd) },
  { head: "Why", className: styles.note, cell: ({ why }) => why }
]

/** Who changed what, found by one text: at first by `of`. */
export const TrailCard = ({ of }: { readonly of: string }) => {
  const [text, setText] = useState(of)
  const wanted = useDeferredValue(text.trim())
  const loaded = useLoad(
    useMemo(() => trail(wanted === "" ? { limit: 100 } : { of: wanted, limit: 100 }), [wanted]),
    { every: "15 seconds", keep: true }
  )
  return (
    <List
      title="Trail"
      of={loaded}
      columns={columns}
      rows={({ trail }) => trail}
      keyOf={({ seq }) => String(seq)}
      action={<SearchField label="Search the trail" placeholder="Id or action" value={text} onChange={setText} />}
      below={({ trail }) => (trail.length === 0 ? <Empty title="Nothing was changed" /> : null)}
    />
  )
}
