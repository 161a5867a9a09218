import { Link } from "@tanstack/react-router"
import type { UsageGroup, UsageSeries } from "@tollgate/contract/account/UsageSeries"
import { useState } from "react"
import { count, shortCount, usdColumn } from "../../ui/amounts.ts"
import { Button, Card } from "../../ui/kit.tsx"
import { Segments } from "../../ui/form.tsx"
import { ratioOf, shareOf } from "./change.ts"
import classes from "./overview.module.css"

/** The heads of the columns that `UsageCells` fills. */
export const UsageHeads = () => (
  <>
    <th scope="col" className="number">
      Calls
    </th>
    <th scope="col" className={`number ${classes["tokens"]}`}>
      Tokens
    </th>
    <th scope="col" className={`number ${classes["charged"]}`}>
      Charged
    </th>
  </>
)

interface UsageCellsProps extends Pick<UsageGroup, "totals"> {
  /** Of the column. */
  readonly usd: ReturnType<typeof usdColumn>
}

/** How the charges of groups are written, so that their points stand below each other. */
export const chargeColumn = (groups: ReadonlyArray<UsageGroup>): UsageCellsProps["usd"] =>
  usdColumn(groups.map(({ totals }) => totals.charged_micros_usd))

export const UsageCells = ({ totals, usd }: UsageCellsProps) => (
  <>
    <td className="number">{count(totals.requests)}</td>
    <td
      className={`number ${classes["tokens"]}`}
      title={`${count(totals.input_tokens)} in, ${count(totals.output_tokens)} out`}
    >
      {shortCount(totals.input_tokens + totals.output_tokens)}
    </td>
    <td className={`number ${classes["charged"]}`}>{usd(totals.charged_micros_usd)}</td>
  </>
)

const groupings = [
  ["operation", "Operation"],
  ["model", "Model"],
  ["key", "Key"]
] as const

export type Grouping = (typeof groupings)[number][0]

export const groupingOf = (text: string | undefined): Grouping =>
  groupings.find(([id]) => id === text)?.[0] ?? "operation"

const firstRows = 8

interface RowProps {
  readonly group: UsageGroup
  readonly grouping: Grouping
  readonly series: UsageSeries
  /** Whether shares are of the charge. Otherwise nothing was charged, and they are of the calls. */
  readonly charged: boolean
  readonly usd: UsageCellsProps["usd"]
}

const Row = ({ charged, group: { id, label, totals }, grouping, series, usd }: RowProps) => {
  const [part, whole] = charged
    ? [totals.charged_micros_usd, series.totals.charged_micros_usd]
    : [totals.requests, series.totals.requests]
  return (
    <tr>
      <th scope="row">
        {id === "" ? (
          <span className="soft">None recorded</span>
        ) : (
          <Link to="/calls" search={{ [grouping]: id }} title={`Calls: ${id}`}>
            {label === "" ? id : label}
          </Link>
        )}
      </th>
      <td className={classes["bar"]}>
        {part === 0 ? null : <span style={{ width: `${ratioOf(part, whole) * 100}%` }} />}
      </td>
      <UsageCells totals={totals} usd={usd} />
      <td className={`number ${classes["share"]}`}>{shareOf(part, whole)}</td>
    </tr>
  )
}

interface BreakdownProps {
  readonly series: UsageSeries
  readonly grouping: Grouping
  readonly onGroup: (grouping: Grouping) => void
}

/** What the window's charge went to. */
export const Breakdown = ({ grouping, onGroup, series }: BreakdownProps) => {
  const [whole, setWhole] = useState(false)
  const groups = { operation: series.by_operation, model: series.by_model, key: series.by_key }[grouping]
  const charged = series.totals.charged_micros_usd > 0
  const shown = whole ? groups : groups.slice(0, firstRows)
  const usd = chargeColumn(shown)
  return (
    <Card
      flush
      title={`By ${grouping}`}
      action={<Segments label="Group by" options={groupings} value={grouping} onChange={onGroup} />}
    >
      <div className="table">
        <table className={classes["breakdown"]}>
          <thead>
            <tr>
              <th scope="col">{groupings.find(([id]) => id === grouping)?.[1]}</th>
              <th scope="col" className={classes["bar"]}>
                <span className="quiet">Share, as a bar</span>
              </th>
              <UsageHeads />
              <th
                scope="col"
                className={`number ${classes["share"]}`}
                title={charged ? "Of the charge" : "Of the calls"}
              >
                Share
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((group) => (
              <Row key={group.id} group={group} grouping={grouping} series={series} charged={charged} usd={usd} />
            ))}
          </tbody>
        </table>
      </div>
      {whole || groups.length <= firstRows ? null : (
        <div className={classes["more"]}>
          <Button kind="quiet" onClick={() => setWhole(true)}>
            Show all {count(groups.length)}
          </Button>
        </div>
      )}
    </Card>
  )
}
