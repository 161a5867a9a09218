import { formatUsd } from "@tollgate/contract/Money"
import type { PriceLine } from "@tollgate/contract/admin/Prices"
import { details, kinds } from "@tollgate/contract/price/TokenKind"
import { useState } from "react"
import { Form, Wrong } from "../../../ui/ChangeButton.tsx"
import { DialogButton, SearchField } from "../../../ui/form.tsx"
import { Card, Tag } from "../../../ui/kit.tsx"
import { Table, operationColumn } from "../../../ui/Table.tsx"
import styles from "../operator.module.css"
import { amountsIn, idOf, mapAmounts, parseDecimal } from "./section.ts"

const Tried = ({ line, was }: { readonly line: PriceLine; readonly was: PriceLine | undefined }) => {
  const before = new Map(amountsIn(was?.config))
  const changed = amountsIn(line.config).filter(([path, amount]) => before.get(path) !== amount)
  return changed.length === 0 ? null : (
    <Tag kind="accent">{changed.map(([path, amount]) => `${before.get(path)} → ${amount}`).join(", ")}</Tag>
  )
}

const nameOf = ({ model, operation }: PriceLine): string => [operation, model].filter(Boolean).join(" ")

const isFixed = ({ config }: PriceLine): boolean => amountsIn(config).length === 0

const names: Readonly<Record<string, string>> = {
  amount: "Amount in USD",
  perMillion: "USD per million tokens",
  perItem: "USD per item",
  perUnit: "USD per unit",
  ...Object.fromEntries(
    Object.entries({ ...kinds, ...details }).map(([name, { words }]) => [name, `USD per million ${words}`])
  )
}

/** What an amount of a price is for, and when, if that is not the usual rate: `tiers fast`. */
const labelOf = (path: string): string => {
  const [what = "", name = "", last] = path.split(".")
  if (what === "tools") return last === "perCall" ? `USD for a call that uses ${name}` : `USD for each use of ${name}`
  const when = path.split(".")
  const own = names[when.pop() ?? ""] ?? `USD of ${path}`
  return [own, when.join(" ")].filter(Boolean).join(", ")
}

interface EditPriceProps {
  readonly of: PriceLine
  readonly onDone: (line: PriceLine, config: unknown) => void
}

const EditPrice = ({ of, onDone }: EditPriceProps) => (
  <DialogButton label="Change" name={`Change the price of ${nameOf(of)}`} title="Change the price">
    {(close) => (
      <Form<Readonly<Record<string, string>>>
        fields={Object.fromEntries(
          amountsIn(of.config).map(([path, amount]) => [
            path,
            {
              label: labelOf(path),
              initial: amount,
              required: true,
              read: (text: string) => {
                const nanos = parseDecimal(text)
                return nanos === undefined
                  ? new Wrong("A decimal with up to nine places, such as 0.05")
                  : formatUsd(nanos)
              }
            }
          ])
        )}
        submit="Preview"
        onSubmit={(amounts) => {
          onDone(
            of,
            mapAmounts(of.config, (amount, path) => amounts[path] ?? amount)
          )
          close()
        }}
        onClose={close}
      >
        <p className="mono">{nameOf(of)}</p>
      </Form>
    )}
  </DialogButton>
)

interface PriceTableProps {
  /** With what is tried. */
  readonly lines: ReadonlyArray<PriceLine>
  readonly inForce: ReadonlyArray<PriceLine>
  readonly onEdit: EditPriceProps["onDone"]
}

export const PriceTable = ({ inForce, lines, onEdit }: PriceTableProps) => {
  const [text, setText] = useState("")
  const words = text.toLowerCase()
  const before = new Map(inForce.map((line) => [idOf(line), line]))
  return (
    <Card title="Current prices" flush>
      <div className={styles.filters}>
        <SearchField label="Filter prices" placeholder="Operation, model or contract" value={text} onChange={setText} />
      </div>
      <Table
        label="Prices"
        columns={[
          { ...operationColumn, className: styles.wide },
          { head: "Contract", className: "mono soft", cell: ({ contract }) => contract },
          {
            head: "Price",
            className: styles.price,
            cell: (line) => (
              <span>
                {line.words} <Tried line={line} was={before.get(idOf(line))} />
              </span>
            )
          },
          {
            head: "Upstreams",
            cell: ({ upstreams }) => (upstreams?.length === 0 ? <Tag kind="warn">no route</Tag> : upstreams?.join(", "))
          },
          {
            head: "Actions",
            kind: "actions",
            cell: (line) => (isFixed(line) ? null : <EditPrice of={line} onDone={onEdit} />)
          }
        ]}
        // What can be changed comes first.
        rows={lines
          .filter((line) => `${nameOf(line)} ${line.contract}`.toLowerCase().includes(words))
          .toSorted((a, b) => Number(isFixed(a)) - Number(isFixed(b)))}
        keyOf={idOf}
        empty="No price matches"
      />
    </Card>
  )
}
