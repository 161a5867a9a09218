import type { PriceLine } from "@tollgate/contract/admin/Prices"
import { useState } from "react"
import { Button, Card, Empty, OperationId, Tag } from "../../../ui/kit.tsx"
import { DataTable } from "../parts/DataTable.tsx"
import styles from "../operator.module.css"
import { amountsIn, idOf } from "./section.ts"

interface PriceTableProps {
  /** With what is tried. */
  readonly lines: ReadonlyArray<PriceLine>
  readonly inForce: ReadonlyArray<PriceLine>
  readonly onEdit: (line: PriceLine) => void
}

const Tried = ({ line, was }: { readonly line: PriceLine; readonly was: PriceLine | undefined }) => {
  const before = new Map(amountsIn(was?.config))
  const changed = amountsIn(line.config).filter(([path, amount]) => before.get(path) !== amount)
  return changed.length === 0 ? null : (
    <Tag kind="accent">{changed.map(([path, amount]) => `${before.get(path)} → ${amount}`).join(", ")}</Tag>
  )
}

/** What can be changed comes first. */
const byKind = (a: PriceLine, b: PriceLine): number =>
  Number(amountsIn(a.config).length === 0) - Number(amountsIn(b.config).length === 0)

export const PriceTable = ({ inForce, lines, onEdit }: PriceTableProps) => {
  const [text, setText] = useState("")
  const words = text.toLowerCase()
  const found = lines
    .map((line, i) => ({ line, was: inForce[i] }))
    .filter(({ line }) => `${line.operation} ${line.model ?? ""} ${line.contract}`.toLowerCase().includes(words))
    .toSorted((a, b) => byKind(a.line, b.line))
  return (
    <Card title="Current prices" flush>
      <div className={styles.filters}>
        <input
          type="search"
          aria-label="Filter prices"
          placeholder="Operation, model or contract"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      {found.length === 0 ? (
        <Empty title="No price matches" />
      ) : (
        <DataTable label="Prices" columns={["Operation", "Contract", "Price", "Actions"]}>
          {found.map(({ line, was }) => (
            <tr key={idOf(line)}>
              <th scope="row" className={`${styles.name} ${styles.wide}`}>
                <span className={styles.wrap}>
                  <OperationId id={line.operation} />
                </span>
                {line.model === null ? null : <span className="mono soft">{line.model}</span>}
              </th>
              <td data-label="Contract" className="mono soft">
                {line.contract}
              </td>
              <td className={styles.price}>
                {line.words} <Tried line={line} was={was} />
              </td>
              <td>
                {amountsIn(line.config).length === 0 ? null : (
                  <div className={styles.actions}>
                    <Button
                      onClick={() => onEdit(line)}
                      aria-label={`Try another price for ${[line.operation, line.model].filter((part) => part !== null).join(" ")}`}
                    >
                      Try another
                    </Button>
                  </div>
                )}
              </td>
            </tr>
          ))}
        </DataTable>
      )}
    </Card>
  )
}
