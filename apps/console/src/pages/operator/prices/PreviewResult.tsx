import { applyPrices } from "@tollgate/client/admin"
import type { Amount } from "@tollgate/contract/account/Amount"
import type { PriceFile, PricePreview, PricePreviewLine } from "@tollgate/contract/admin/Prices"
import type { Ref } from "react"
import { count, counted, usd } from "../../../ui/amounts.ts"
import { Card, Code, Empty, Notice, Stats } from "../../../ui/kit.tsx"
import { type Column, Table, operationColumn } from "../../../ui/Table.tsx"
import { hourName } from "../../../ui/times.ts"
import styles from "../operator.module.css"
import { NoteForm } from "../parts.tsx"
import { PriceChanges } from "./PriceChanges.tsx"
import { idOf } from "./section.ts"

interface ApplyCardProps {
  readonly preview: PricePreview
  readonly section: object
  readonly file: PriceFile
  /** Whether the draft is another one by now. */
  readonly isStale: boolean
  readonly onApplied: () => void
  readonly onRefused: () => void
}

/** Applies the prices of a preview, or shows what to put into the file. The button says how many they are, and the list which. */
const ApplyCard = ({ file, isStale, onApplied, onRefused, preview, section }: ApplyCardProps) => {
  const { changed, changes } = preview
  const { fingerprint, refusal } = file
  const text = <Code title="prices" code={`"prices": ${JSON.stringify(section, null, 2)}`} />
  return (
    <Card title="Apply these prices">
      {changed === 0 ? (
        <p>These are the current prices.</p>
      ) : refusal === null ? (
        <NoteForm
          may="applyPrices"
          ask="an owner or somebody in finance to apply them"
          submit={`Change ${counted(changed, "price")}`}
          disabled={isStale}
          run={(note) => applyPrices({ prices: section, fingerprint: fingerprint ?? "", note })}
          done={(applied) => {
            onApplied()
            return `${counted(applied.changed, "price")} changed. New calls cost the new prices.`
          }}
          onRefused={onRefused}
        >
          <p>The gateway writes its configuration file and reloads it. Calls under way keep the old prices.</p>
        </NoteForm>
      ) : (
        <Notice title="Change the file yourself">
          <p>{refusal}</p>
          <p>Put this section into the file, then reload it.</p>
        </Notice>
      )}
      {changed === 0 ? null : (
        <>
          <div className={styles.tallTable}>
            <PriceChanges changes={changes} />
          </div>
          {changed > changes.length ? <p className="soft">And {count(changed - changes.length)} more.</p> : null}
        </>
      )}
      {refusal === null ? (
        <details className={styles.serves}>
          <summary>The section as text</summary>
          <div className={`${styles.tall} ${styles.options}`}>{text}</div>
        </details>
      ) : (
        <div className={styles.tall}>{text}</div>
      )}
    </Card>
  )
}

const differenceOf = (before: Amount, after: Amount): bigint => BigInt(after) - BigInt(before)

/** `+$1.25`. */
const signed = (difference: bigint, text = usd(difference)): string => `${difference > 0n ? "+" : ""}${text}`

const share = new Intl.NumberFormat(undefined, {
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero"
})

/** `+12.5%`, if there is something to compare with. */
const percent = (before: Amount, difference: bigint): string | undefined =>
  BigInt(before) === 0n ? undefined : share.format(Number((difference * 1000n) / BigInt(before)) / 1000)

const differenceIn = (line: PricePreviewLine): bigint =>
  differenceOf(line.charged_before_micros_usd, line.charged_after_micros_usd)

const columns: ReadonlyArray<Column<PricePreviewLine>> = [
  operationColumn,
  { head: "Calls", kind: "number", cell: ({ calls }) => count(calls) },
  { head: "Not computable", kind: "number", className: "soft", cell: (line) => count(line.not_computable) },
  { head: "Charged before", usd: (line) => line.charged_before_micros_usd },
  { head: "Charged after", usd: (line) => line.charged_after_micros_usd },
  { head: "Difference", usd: differenceIn, cell: (line, text) => <strong>{signed(differenceIn(line), text)}</strong> }
]

/** What other prices would have made of the calls, and putting them in force. */
export const PreviewResult = ({ ref, ...apply }: ApplyCardProps & { readonly ref: Ref<HTMLElement> }) => {
  const { complete, end_time, lines, start_time, totals } = apply.preview
  const difference = differenceOf(totals.charged_before_micros_usd, totals.charged_after_micros_usd)
  return (
    <section ref={ref} aria-label="Preview" tabIndex={-1} className={styles.result}>
      <Stats
        of={[
          [
            "Charged before",
            usd(totals.charged_before_micros_usd),
            `List price ${usd(totals.value_before_micros_usd)}`
          ],
          ["Charged after", usd(totals.charged_after_micros_usd), `List price ${usd(totals.value_after_micros_usd)}`],
          ["Difference", signed(difference), percent(totals.charged_before_micros_usd, difference)],
          [
            "Calls",
            count(totals.calls),
            totals.not_computable === 0 ? "All computable" : `${count(totals.not_computable)} not computable`
          ]
        ]}
      />
      <ApplyCard {...apply} />
      {complete ? null : (
        <Notice kind="warn" title="A preview reads a limited number of calls. The rest are left out." />
      )}
      <Card title={`Calls from ${hourName(start_time)} to ${hourName(end_time)}`} flush>
        <Table
          label="By operation and model"
          columns={columns}
          rows={lines}
          keyOf={idOf}
          empty={<Empty title="No call was charged in this window" />}
        />
      </Card>
    </section>
  )
}
