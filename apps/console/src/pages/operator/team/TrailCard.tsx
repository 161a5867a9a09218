import { trail } from "@tollgate/client/admin"
import type { TrailEntry } from "@tollgate/contract/admin/Trail"
import { changeWords } from "@tollgate/contract/admin/trailWords"
import { useLoad } from "@tollgate/react/effect"
import { useDeferredValue, useMemo, useState } from "react"
import { usd } from "../../../ui/amounts.ts"
import { SearchField } from "../../../ui/form.tsx"
import { type Column, List } from "../../../ui/Table.tsx"
import { fullTime } from "../../../ui/times.ts"
import styles from "../operator.module.css"

const columns: ReadonlyArray<Column<TrailEntry>> = [
  { head: "Time", className: "soft", cell: ({ at }) => <time dateTime={at}>{fullTime(at)}</time> },
  { head: "Who", cell: ({ who }) => who },
  { head: "What", cell: ({ action }) => action },
  { head: "Of", className: `mono ${styles.id}`, title: ({ subject }) => subject, cell: ({ subject }) => subject },
  // What a loaded configuration changed is long: the page of the configuration has all of it.
  {
    head: "Change",
    className: "wrap",
    title: (entry) => changeWords(entry, usd).slice(0, 1_000),
    cell: (entry) => <div className={styles.change}>{changeWords(entry, usd)}</div>
  },
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
      empty="Nothing was changed"
    />
  )
}
