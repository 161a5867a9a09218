import type { PriceChange } from "@tollgate/contract/admin/Prices"
import { OperationId } from "../../../ui/kit.tsx"
import styles from "../operator.module.css"
import { DataTable } from "../parts/DataTable.tsx"
import { amountsIn } from "./section.ts"

type Shown = PriceChange["before"]

/** The words of a price leave out details. If they are the same before and after, the amounts that differ are shown. */
const wordsOf = (price: Shown, other: Shown): string => {
  if (price === null) return "none"
  if (price.words !== other?.words) return price.words
  const others = new Map(amountsIn(other.config))
  const differing = amountsIn(price.config).filter(([path, amount]) => others.get(path) !== amount)
  return differing.map(([path, amount]) => `${path} ${amount}`).join(", ") || JSON.stringify(price.config)
}

interface PriceChangesProps {
  readonly changes: ReadonlyArray<PriceChange>
  readonly columns?: readonly [before: string, after: string]
}

/** Prices before and after. */
export const PriceChanges = ({ changes, columns: [old, next] = ["Now", "New"] }: PriceChangesProps) => (
  <DataTable label="Changed prices" columns={["Operation", old, next]}>
    {changes.map(({ after, before, model, operation }) => (
      <tr key={JSON.stringify([operation, model])}>
        <th scope="row" className={styles.name}>
          <span className={styles.wrap}>
            <OperationId id={operation} />
          </span>
          {model === null ? null : <span className="mono soft">{model}</span>}
        </th>
        <td data-label={old}>{wordsOf(before, after)}</td>
        <td data-label={next}>
          <strong>{wordsOf(after, before)}</strong>
        </td>
      </tr>
    ))}
  </DataTable>
)
