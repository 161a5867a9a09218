import { formatUsd } from "@tollgate/contract/Money"
import type { PriceLine } from "@tollgate/contract/admin/Prices"
import { details, kinds } from "@tollgate/contract/price/TokenKind"
import { useState } from "react"
import { Form, Wrong } from "../../../ui/ChangeDialog.tsx"
import { Dialog } from "../../../ui/form.tsx"
import { Button, Card, Empty, Tag } from "../../../ui/kit.tsx"
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

interface PriceTableProps {
  /** With what is tried. */
  readonly lines: ReadonlyArray<PriceLine>
  readonly inForce: ReadonlyArray<PriceLine>
  readonly onEdit: (line: PriceLine) => void
}

export const PriceTable = ({ inForce, lines, onEdit }: PriceTableProps) => {
  const [text, setText] = useState("")
  const words = text.toLowerCase()
  const before = new Map(inForce.map((line) => [idOf(line), line]))
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
            head: "Actions",
            kind: "actions",
            cell: (line) =>
              isFixed(line) ? null : (
                <Button onClick={() => onEdit(line)} aria-label={`Try another price for ${nameOf(line)}`}>
                  Try another
                </Button>
              )
          }
        ]}
        // What can be changed comes first.
        rows={lines
          .filter((line) => `${nameOf(line)} ${line.contract}`.toLowerCase().includes(words))
          .toSorted((a, b) => Number(isFixed(a)) - Number(isFixed(b)))}
        keyOf={idOf}
        empty={<Empty title="No price matches" />}
      />
    </Card>
  )
}

const names: Readonly<Record<string, string>> = {
  amount: "Amount in USD",
  perMillion: "USD per million tokens",
  perItem: "USD per item",
  perUnit: "USD per unit",
  ...Object.fromEntries(
    Object.entries({ ...kinds, ...details }).map(([name, { words }]) => [name, `USD per million ${words}`])
  )
}

/** When a rate applies, if it is not the usual one. */
const conditions: Readonly<Record<string, (name: string) => string>> = {
  longPrompt: () => ", long prompt",
  tiers: (name) => `, served as ${name}`,
  speeds: (name) => `, at the speed ${name}`,
  regions: (name) => `, in the region ${name}`,
  periods: (name) => `, in period ${Number(name) + 1}`
}

/** What an amount of a price is for. */
const labelOf = (path: string): string => {
  const around = path.split(".")
  const [what = "", name = "", last] = around
  if (what === "tools") return last === "perCall" ? `USD for a call that uses ${name}` : `USD for each use of ${name}`
  const own = names[around.at(-1) ?? ""]
  const when = around.length === 1 ? "" : conditions[what]?.(name)
  return own === undefined || when === undefined ? `USD of ${path.replace(/\.amount$/, "")}` : `${own}${when}`
}

interface EditPriceProps {
  readonly of: PriceLine | undefined
  readonly onClose: () => void
  readonly onDone: (line: PriceLine, config: unknown) => void
}

export const EditPrice = ({ of, onClose, onDone }: EditPriceProps) => (
  <Dialog title="Try another price" open={of !== undefined} onClose={onClose}>
    {of === undefined ? null : (
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
        submit="Try this price"
        onSubmit={(amounts) => {
          onDone(
            of,
            mapAmounts(of.config, (amount, path) => amounts[path] ?? amount)
          )
          onClose()
        }}
        onClose={onClose}
      >
        <p className="mono">{[of.operation, of.model].filter(Boolean).join(" · ")}</p>
      </Form>
    )}
  </Dialog>
)
