import type { PriceLine } from "@tollgate/contract/admin/Prices"
import { details, kinds } from "@tollgate/contract/price/TokenKind"
import { type FormEvent, useState } from "react"
import { Button } from "../../../ui/kit.tsx"
import { Dialog, Field } from "../../../ui/form.tsx"
import { formatDecimal, parseDecimal, amountsIn, mapAmounts } from "./section.ts"

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
const conditionOf = ([what, name = ""]: ReadonlyArray<string>): string => {
  switch (what) {
    case "longPrompt":
      return ", long prompt"
    case "tiers":
      return `, served as ${name}`
    case "speeds":
      return `, at the speed ${name}`
    case "regions":
      return `, in the region ${name}`
    case "periods":
      return `, in period ${Number(name) + 1}`
    default:
      return ""
  }
}

const nameOf = (path: string): string => {
  const around = path.split(".")
  if (around[0] === "tools") {
    return around[2] === "perCall" ? `USD for a call that uses ${around[1]}` : `USD for each use of ${around[1]}`
  }
  const own = names[around.at(-1) ?? ""]
  const when = conditionOf(around.slice(0, -1))
  if (own !== undefined && (around.length === 1 || when !== "")) return `${own}${when}`
  return `USD of ${path.replace(/\.amount$/, "")}`
}

interface FieldsProps {
  readonly of: PriceLine
  readonly onClose: () => void
  readonly onDone: (line: PriceLine, config: unknown) => void
}

const Fields = ({ of, onClose, onDone }: FieldsProps) => {
  const [texts, setTexts] = useState(() => new Map(amountsIn(of.config)))
  const [sent, setSent] = useState(false)
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if ([...texts.values()].some((text) => parseDecimal(text) === undefined)) return
    onDone(
      of,
      mapAmounts(of.config, (amount, path) => formatDecimal(parseDecimal(texts.get(path) ?? amount) ?? 0n))
    )
    onClose()
  }
  return (
    <form onSubmit={send} noValidate>
      <p className="mono">{[of.operation, of.model].filter((part) => part !== null).join(" · ")}</p>
      {[...texts].map(([path, text]) => (
        <Field
          key={path}
          label={nameOf(path)}
          error={
            sent && parseDecimal(text) === undefined ? "A decimal with up to nine places, such as 0.05" : undefined
          }
        >
          {(control) => (
            <input
              {...control}
              inputMode="decimal"
              value={text}
              onChange={({ target }) => setTexts(new Map(texts).set(path, target.value))}
            />
          )}
        </Field>
      ))}
      <div className="row">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="main" type="submit">
          Try this price
        </Button>
      </div>
    </form>
  )
}

interface EditPriceProps extends Omit<FieldsProps, "of"> {
  readonly of: PriceLine | undefined
}

export const EditPrice = ({ of, onClose, onDone }: EditPriceProps) => (
  <Dialog title="Try another price" open={of !== undefined} onClose={onClose}>
    {of === undefined ? null : <Fields of={of} onClose={onClose} onDone={onDone} />}
  </Dialog>
)
