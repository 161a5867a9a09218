import { Link } from "@tanstack/react-router"
import { margin } from "@tollgate/client/admin"
import type { Amount } from "@tollgate/contract/account/Amount"
import type { Margin, MarginGroup, MarginTotals } from "@tollgate/contract/admin/Margin"
import { useLoad } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { useMemo, useState } from "react"
import { chargedUsd, count, microsOf, nanoUsd, shortUsd, usd, usdColumn } from "../../../ui/amounts.ts"
import { Card, Empty, Page, Skeleton, Stat, Stats } from "../../../ui/kit.tsx"
import { Segments } from "../../../ui/form.tsx"
import { type Preset, presets, spanOf } from "../../overview/window.ts"
import styles from "../operator.module.css"
import { DataTable } from "../parts/DataTable.tsx"
import { Failure } from "../parts/Failure.tsx"

/** Margins are of whole days. */
const windows = presets.filter(([id]) => id !== "24h")

const groupings = [
  ["account", "Account"],
  ["operation", "Operation"],
  ["model", "Model"],
  ["upstream", "Upstream"]
] as const

type Grouping = (typeof groupings)[number][0]

const groupsOf = (found: Margin, grouping: Grouping): ReadonlyArray<MarginGroup> =>
  ({
    account: found.by_account,
    operation: found.by_operation,
    model: found.by_model,
    upstream: found.by_upstream
  })[grouping]

const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 })

/** The margin as a part of what was charged. */
const shareWords = ({ costed_micros_usd, margin_micros_usd }: MarginTotals): string => {
  const charged = microsOf(costed_micros_usd)
  return charged === 0n ? "" : percent.format(Number((microsOf(margin_micros_usd) * 10_000n) / charged) / 10_000)
}

const Figures = ({ totals }: { readonly totals: MarginTotals }) => (
  <Stats>
    <Stat
      label="Charged"
      value={<span title={usd(totals.charged_micros_usd)}>{shortUsd(totals.charged_micros_usd)}</span>}
    />
    <Stat
      label="Cost"
      value={<span title={nanoUsd(totals.cost_nano_usd)}>{shortUsd(totals.cost_micros_usd)}</span>}
      note={`of ${count(totals.costed_requests)} calls`}
    />
    <Stat
      label="Margin"
      value={<span title={usd(totals.margin_micros_usd)}>{shortUsd(totals.margin_micros_usd)}</span>}
      note={shareWords(totals)}
    />
    <Stat
      label="Charged, cost not known"
      value={<span title={usd(totals.without_cost_micros_usd)}>{shortUsd(totals.without_cost_micros_usd)}</span>}
    />
  </Stats>
)

const Name = ({ group: { id, label }, grouping }: { readonly group: MarginGroup; readonly grouping: Grouping }) => {
  if (id === "") return <span className="soft">None</span>
  if (grouping !== "account" || id === "other") return <span className={styles.wrap}>{label}</span>
  return (
    <Link to="/operator/accounts/$account" params={{ account: id }}>
      {label === "" ? id : label}
    </Link>
  )
}

const columns = [
  { number: "Charged" },
  { number: "Without cost" },
  { number: "Calls with cost" },
  { number: "Cost" },
  { number: "Margin" },
  { number: "Share" }
]

type Usd = ReturnType<typeof usdColumn>

/** How each column writes its amounts. */
const usdColumns = (groups: ReadonlyArray<MarginGroup>) => {
  const of = (amount: (totals: MarginTotals) => Amount): Usd => usdColumn(groups.map(({ totals }) => amount(totals)))
  return {
    charged: of((totals) => totals.charged_micros_usd),
    withoutCost: of((totals) => totals.without_cost_micros_usd),
    cost: of((totals) => totals.cost_micros_usd),
    margin: of((totals) => totals.margin_micros_usd)
  }
}

interface RowProps {
  readonly group: MarginGroup
  readonly grouping: Grouping
  readonly usd: ReturnType<typeof usdColumns>
}

const Row = ({ group, grouping, usd }: RowProps) => {
  const { totals } = group
  return (
    <tr>
      <th scope="row" className={styles.name}>
        <Name group={group} grouping={grouping} />
      </th>
      <td data-label="Charged" className="number">
        {usd.charged(totals.charged_micros_usd)}
      </td>
      <td data-label="Without cost" className="number">
        {usd.withoutCost(totals.without_cost_micros_usd)}
      </td>
      <td data-label="Calls with cost" className="number">
        {count(totals.costed_requests)}
      </td>
      <td data-label="Cost" className="number" title={nanoUsd(totals.cost_nano_usd)}>
        {chargedUsd(totals.cost_micros_usd, totals.cost_nano_usd, usd.cost)}
      </td>
      <td data-label="Margin" className="number">
        {usd.margin(totals.margin_micros_usd)}
      </td>
      <td data-label="Share" className="number">
        {shareWords(totals) || <span className="soft">–</span>}
      </td>
    </tr>
  )
}

const Groups = ({ found }: { readonly found: Margin }) => {
  const [grouping, setGrouping] = useState<Grouping>("account")
  const groups = groupsOf(found, grouping)
  const title = `By ${grouping}`
  const usd = usdColumns(groups)
  return (
    <Card
      flush
      title={title}
      action={<Segments label="Group by" options={groupings} value={grouping} onChange={setGrouping} />}
    >
      {groups.length === 0 ? (
        <Empty title="No call in this window has a known cost">
          <p>Set the upstream's own prices in the configuration file.</p>
        </Empty>
      ) : (
        <DataTable label={title} columns={[groupings.find(([id]) => id === grouping)?.[1] ?? "", ...columns]}>
          {groups.map((group) => (
            <Row key={group.id} group={group} grouping={grouping} usd={usd} />
          ))}
        </DataTable>
      )}
    </Card>
  )
}

/** What calls were charged and what they cost. */
export const MarginPage = () => {
  const [preset, setPreset] = useState<Preset>("7d")
  const load = useMemo(
    () =>
      Effect.suspend(() => {
        const { end, start } = spanOf(preset, Date.now() / 1000)
        return margin({ start_time: start, end_time: end })
      }),
    [preset]
  )
  const { error, refresh, value } = useLoad(load, { every: "15 seconds", keep: true })
  return (
    <Page
      title="Margin"
      lead="What you charged callers, less what upstreams charge you. Callers cannot see this. Days are UTC."
      actions={<Segments label="Window" options={windows} value={preset} onChange={setPreset} />}
    >
      {error === undefined ? null : <Failure error={error} retry={refresh} />}
      {value === undefined ? (
        error === undefined ? (
          <Skeleton lines={6} tall />
        ) : null
      ) : (
        <>
          <Figures totals={value.totals} />
          <Groups found={value} />
        </>
      )}
    </Page>
  )
}
