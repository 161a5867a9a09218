import { Link } from "@tanstack/react-router"
import { usageByTag } from "@tollgate/client/account"
import type { UsageGroup, UsageSeries } from "@tollgate/contract/account/UsageSeries"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { useMemo } from "react"
import { count, shortCount } from "../../ui/amounts.ts"
import { Segments, Select } from "../../ui/form.tsx"
import { type Column, TableCard } from "../../ui/Table.tsx"
import { ratioOf, shareOf } from "./Figures.tsx"
import classes from "./overview.module.css"

const usageColumns: ReadonlyArray<Column<UsageGroup>> = [
  { head: "Calls", kind: "number", cell: ({ totals }) => count(totals.requests) },
  {
    head: "Tokens",
    kind: "number",
    className: classes["tokens"],
    title: ({ totals }) => `${count(totals.input_tokens)} in, ${count(totals.output_tokens)} out`,
    cell: ({ totals }) => shortCount(totals.input_tokens + totals.output_tokens)
  },
  { head: "Charged", className: classes["charged"], usd: ({ totals }) => totals.charged_micros_usd }
]

const groupings = [
  ["operation", "Operation"],
  ["model", "Model"],
  ["key", "Key"]
] as const

export type Grouping = (typeof groupings)[number][0]

export const groupingOf = (text: string | undefined): Grouping =>
  groupings.find(([id]) => id === text)?.[0] ?? "operation"

interface BreakdownProps {
  readonly series: UsageSeries
  readonly grouping: Grouping
  readonly onGroup: (grouping: Grouping) => void
}

export const Breakdown = ({ grouping, onGroup, series }: BreakdownProps) => {
  const groups = series[`by_${grouping}`]
  // Shares are of the charge. If nothing was charged, they are of the calls.
  const part = series.totals.charged_micros_usd > 0 ? "charged_micros_usd" : "requests"
  const columns: ReadonlyArray<Column<UsageGroup>> = [
    {
      head: groupings.find(([id]) => id === grouping)?.[1] ?? "",
      kind: "name",
      cell: ({ id, label }) =>
        id === "" ? (
          <span className="soft">None recorded</span>
        ) : (
          <Link to="/calls" search={{ [grouping]: id }} title={`Calls: ${id}`}>
            {label === "" ? id : label}
          </Link>
        )
    },
    {
      head: "Share, as a bar",
      isPlain: true,
      className: classes["bar"],
      cell: ({ totals }) =>
        totals[part] === 0 ? null : <span style={{ width: `${ratioOf(totals[part], series.totals[part]) * 100}%` }} />
    },
    ...usageColumns,
    {
      head: "Share",
      kind: "number",
      className: classes["share"],
      title: () => (part === "requests" ? "Of the calls" : "Of the charge"),
      cell: ({ totals }) => shareOf(totals[part], series.totals[part])
    }
  ]
  return (
    <TableCard
      title={`By ${grouping}`}
      action={<Segments label="Group by" options={groupings} value={grouping} onChange={onGroup} />}
      className={classes["breakdown"]}
      columns={columns}
      rows={groups}
      keyOf={({ id }) => id}
      first={8}
    />
  )
}

interface TagBreakdownProps {
  readonly series: Pick<UsageSeries, "start_time" | "end_time" | "bucket_width">
  /** The tag by whose values the usage is shown. The first by default. */
  readonly tag: string | undefined
  readonly onTag: (tag: string) => void
}

/** The names of the tags in the window, and the usage by the values of one. */
const useTags = ({ bucket_width, end_time, start_time }: TagBreakdownProps["series"], tag: string | undefined) => {
  const load = useMemo(() => {
    const window = { start_time, end_time, width: bucket_width }
    return Effect.gen(function* () {
      const names = (yield* usageByTag(window)).groups.map(({ id }) => id)
      const name = names.find((name) => name === tag) ?? names[0]
      return name === undefined ? undefined : { names, usage: yield* usageByTag({ ...window, tag: name }), name }
    })
  }, [start_time, end_time, bucket_width, tag])
  return useLoad(load, { keep: true }).value
}

/** What the window's calls with a tag cost. Nothing is shown if no call has one. */
export const TagBreakdown = ({ onTag, series, tag }: TagBreakdownProps) => {
  const found = useTags(series, tag)
  if (found === undefined) return null
  const { name, names, usage } = found
  return (
    <TableCard
      title="By tag"
      action={
        <Select
          label="Tag"
          className={classes["tag"]}
          options={names.map((name) => [name, name])}
          value={name}
          onChange={onTag}
        />
      }
      className={classes["breakdown"]}
      columns={[
        {
          head: name,
          kind: "name",
          cell: ({ id, label }) =>
            id !== label || id === "" ? (
              <span className="soft">Others</span>
            ) : (
              <Link to="/calls" search={{ tag: `${name}=${id}` }}>
                {label}
              </Link>
            )
        },
        ...usageColumns
      ]}
      rows={usage.groups}
      keyOf={({ id, label }) => `${id} ${label}`}
    />
  )
}
