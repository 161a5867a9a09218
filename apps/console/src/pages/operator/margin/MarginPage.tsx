import { Link } from "@tanstack/react-router"
import { margin } from "@tollgate/client/admin"
import type { Amount } from "@tollgate/contract/account/Amount"
import type { Margin, MarginGroup, MarginTotals } from "@tollgate/contract/admin/Margin"
import { useLoad } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { useMemo, useState } from "react"
import { chargedUsd, count, microsOf, nanoUsd, shortUsd, usd } from "../../../ui/amounts.ts"
import { Segments } from "../../../ui/form.tsx"
import { Card, Empty, Loaded, Page, Skeleton, Stats } from "../../../ui/kit.tsx"
import { type Column, Table } from "../../../ui/Table.tsx"
import { type Preset, presets, spanOf } from "../../overview/window.ts"

/** Margins are of whole days. */
const windows = presets.filter(([id]) => id !== "24h")

const groupings = [
  ["account", "Account"],
  ["operation", "Operation"],
  ["model", "Model"],
  ["upstream", "Upstream"]
] as const

type Grouping = (typeof groupings)[number][0]

const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 })

/** The margin as a part of what was charged. */
const shareWords = ({ costed_micros_usd, margin_micros_usd }: MarginTotals): string => {
  const charged = microsOf(costed_micros_usd)
  return charged === 0n ? "" : percent.format(Number((microsOf(margin_micros_usd) * 10_000n) / charged) / 10_000)
}

const short = (amount: Amount, exact = usd(amount)) => <span title={exact}>{shortUsd(amount)}</span>

const Figures = ({ totals }: { readonly totals: MarginTotals }) => (
  <Stats
    of={[
      ["Charged", short(totals.charged_micros_usd)],
      [
        "Cost",
        short(totals.cost_micros_usd, nanoUsd(totals.cost_nano_usd)),
        `of ${count(totals.costed_requests)} calls`
      ],
      ["Margin", short(totals.margin_micros_usd), shareWords(totals)],
      ["Charged, cost not known", short(totals.without_cost_micros_usd)]
    ]}
  />
)

const Name = ({ group: { id, label }, grouping }: { readonly group: MarginGroup; readonly grouping: Grouping }) => {
  if (id === "") return <span className="soft">None</span>
  if (grouping !== "account" || id === "other") return <span className="wrap">{label}</span>
  return (
    <Link to="/operator/accounts/$account" params={{ account: id }}>
      {label === "" ? id : label}
    </Link>
  )
}

const columns: ReadonlyArray<Column<MarginGroup>> = [
  { head: "Charged", usd: ({ totals }) => totals.charged_micros_usd },
  { head: "Without cost", usd: ({ totals }) => totals.without_cost_micros_usd },
  { head: "Calls with cost", kind: "number", cell: ({ totals }) => count(totals.costed_requests) },
  {
    head: "Cost",
    usd: ({ totals }) => totals.cost_micros_usd,
    title: ({ totals }) => nanoUsd(totals.cost_nano_usd),
    cell: ({ totals }, cost) => chargedUsd(totals.cost_micros_usd, totals.cost_nano_usd, () => cost)
  },
  { head: "Margin", usd: ({ totals }) => totals.margin_micros_usd },
  { head: "Share", kind: "number", cell: ({ totals }) => shareWords(totals) || <span className="soft">–</span> }
]

const Groups = ({ found }: { readonly found: Margin }) => {
  const [grouping, setGrouping] = useState<Grouping>("account")
  const head = groupings.find(([id]) => id === grouping)?.[1] ?? ""
  return (
    <Card
      flush
      title={`By ${grouping}`}
      action={<Segments label="Group by" options={groupings} value={grouping} onChange={setGrouping} />}
    >
      <Table
        label={`By ${grouping}`}
        columns={[{ head, kind: "name", cell: (group) => <Name group={group} grouping={grouping} /> }, ...columns]}
        rows={found[`by_${grouping}`]}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No call in this window has a known cost">
            <p>Set the upstream's own prices in the configuration file.</p>
          </Empty>
        }
      />
    </Card>
  )
}

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
  return (
    <Page
      title="Margin"
      lead="What you charged callers, less what upstreams charge you. Callers cannot see this. Days are UTC."
      actions={<Segments label="Window" options={windows} value={preset} onChange={setPreset} />}
    >
      <Loaded of={useLoad(load, { every: "15 seconds", keep: true })} loading={<Skeleton lines={6} tall />}>
        {(found) => (
          <>
            <Figures totals={found.totals} />
            <Groups found={found} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
