import { Link } from "@tanstack/react-router"
import { usageByTag } from "@tollgate/client/account"
import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import { useLoad } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { useMemo } from "react"
import { Card } from "../../ui/kit.tsx"
import classes from "./overview.module.css"
import { chargeColumn, UsageCells, UsageHeads } from "./Breakdown.tsx"

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
  const usd = chargeColumn(usage.groups)
  return (
    <Card
      flush
      title="By tag"
      action={
        <select aria-label="Tag" className={classes["tag"]} value={name} onChange={({ target }) => onTag(target.value)}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      }
    >
      <div className="table">
        <table className={classes["breakdown"]}>
          <thead>
            <tr>
              <th scope="col">{name}</th>
              <UsageHeads />
            </tr>
          </thead>
          <tbody>
            {usage.groups.map(({ id, label, totals }, i) => (
              <tr key={i}>
                <th scope="row">
                  {id !== label || id === "" ? (
                    <span className="soft">Others</span>
                  ) : (
                    <Link to="/calls" search={{ tag: `${name}=${id}` }}>
                      {label}
                    </Link>
                  )}
                </th>
                <UsageCells totals={totals} usd={usd} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}
