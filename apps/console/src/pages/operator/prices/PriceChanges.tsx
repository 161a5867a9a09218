import type { PriceChange } from "@tollgate/contract/admin/Prices"
import { operationColumn, Table } from "../../../ui/Table.tsx"
import { amountsIn, idOf } from "./section.ts"

type Price = PriceChange["before"]

/** The words of a price leave out details. If they are the same before and after, the amounts that differ are shown. */
const wordsOf = (price: Price, other: Price): string => {
  if (price === null) return "none"
  if (price.words !== other?.words) return price.words
  const others = new Map(amountsIn(other.config))
  const differing = amountsIn(price.config).filter(([path, amount]) => others.get(path) !== amount)
  return differing.map(([path, amount]) => `${path} ${amount}`).join(", ") || JSON.stringify(price.config)
}

export const PriceChanges = ({ changes }: { readonly changes: ReadonlyArray<PriceChange> }) => (
  <Table
    label="Changed prices"
    columns={[
      operationColumn,
      { head: "Before", cell: ({ after, before }) => wordsOf(before, after) },
      { head: "After", cell: ({ after, before }) => <strong>{wordsOf(after, before)}</strong> }
    ]}
    rows={changes}
    keyOf={idOf}
  />
)
