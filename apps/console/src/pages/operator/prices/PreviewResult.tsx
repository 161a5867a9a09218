import type { Amount } from "@tollgate/contract/account/Amount"
import type { PricePreview, PricePreviewLine } from "@tollgate/contract/admin/Prices"
import type { ReactNode, Ref } from "react"
import { count, usd, usdColumn } from "../../../ui/amounts.ts"
import { Card, Empty, Notice, OperationId, Stat, Stats } from "../../../ui/kit.tsx"
import { hourName } from "../../../ui/times.ts"
import styles from "../operator.module.css"
import { DataTable } from "../parts/DataTable.tsx"

const differenceOf = (before: Amount, after: Amount): bigint => BigInt(after) - BigInt(before)

type Usd = (amount: Amount | bigint) => string

/** `+$1.25`. */
const signedUsd = (difference: bigint, write: Usd = usd): string => `${difference > 0n ? "+" : ""}${write(difference)}`

/** `+12.5 %`, if there is something to compare with. */
const percent = (before: Amount, difference: bigint): string | undefined => {
  const base = BigInt(before)
  if (base === 0n) return undefined
  const tenths = (difference * 1000n) / base
  const absolute = tenths < 0n ? -tenths : tenths
  return `${tenths < 0n ? "−" : "+"}${absolute / 10n}.${absolute % 10n} %`
}

const differenceIn = (line: PricePreviewLine): bigint =>
  differenceOf(line.charged_before_micros_usd, line.charged_after_micros_usd)

interface RowProps {
  readonly line: PricePreviewLine
  /** How each column writes its amounts. */
  readonly usd: Readonly<Record<"before" | "after" | "difference", Usd>>
}

const Row = ({ line, usd }: RowProps) => (
  <tr>
    <th scope="row" className={styles.name}>
      <span className={styles.wrap}>
        <OperationId id={line.operation} />
      </span>
      {line.model === null ? null : <span className="mono soft">{line.model}</span>}
    </th>
    <td data-label="Calls" className="number">
      {count(line.calls)}
    </td>
    <td data-label="Not computable" className="number soft">
      {count(line.not_computable)}
    </td>
    <td data-label="Charged before" className="number">
      {usd.before(line.charged_before_micros_usd)}
    </td>
    <td data-label="Charged after" className="number">
      {usd.after(line.charged_after_micros_usd)}
    </td>
    <td data-label="Difference" className="number">
      <strong>{signedUsd(differenceIn(line), usd.difference)}</strong>
    </td>
  </tr>
)

const numbers = ["Calls", "Not computable", "Charged before", "Charged after", "Difference"]
const columns = ["Operation", ...numbers.map((number) => ({ number }))]

const Lines = ({ lines }: { readonly lines: ReadonlyArray<PricePreviewLine> }) => {
  const usd = {
    before: usdColumn(lines.map((line) => line.charged_before_micros_usd)),
    after: usdColumn(lines.map((line) => line.charged_after_micros_usd)),
    difference: usdColumn(lines.map(differenceIn))
  }
  return (
    <DataTable label="By operation and model" columns={columns}>
      {lines.map((line) => (
        <Row key={JSON.stringify([line.operation, line.model])} line={line} usd={usd} />
      ))}
    </DataTable>
  )
}

interface PreviewResultProps {
  readonly preview: PricePreview
  readonly ref: Ref<HTMLElement>
  /** Between the totals and the calls. */
  readonly children: ReactNode
}

/** What other prices would have made of the calls. */
export const PreviewResult = ({ children, preview, ref }: PreviewResultProps) => {
  const { complete, end_time, lines, start_time, totals } = preview
  const difference = differenceOf(totals.charged_before_micros_usd, totals.charged_after_micros_usd)
  return (
    <section ref={ref} aria-label="Preview" tabIndex={-1} className={styles.result}>
      <Stats>
        <Stat
          label="Charged before"
          value={usd(totals.charged_before_micros_usd)}
          note={`List price ${usd(totals.value_before_micros_usd)}`}
        />
        <Stat
          label="Charged after"
          value={usd(totals.charged_after_micros_usd)}
          note={`List price ${usd(totals.value_after_micros_usd)}`}
        />
        <Stat
          label="Difference"
          value={signedUsd(difference)}
          note={percent(totals.charged_before_micros_usd, difference)}
        />
        <Stat
          label="Calls"
          value={count(totals.calls)}
          note={totals.not_computable === 0 ? "All computable" : `${count(totals.not_computable)} not computable`}
        />
      </Stats>
      {children}
      {complete ? null : (
        <Notice kind="warn" title="A preview reads a limited number of calls. The rest are left out." />
      )}
      <Card title={`Calls from ${hourName(start_time)} to ${hourName(end_time)}`} flush>
        {lines.length === 0 ? <Empty title="No call was charged in this window" /> : <Lines lines={lines} />}
      </Card>
    </section>
  )
}
