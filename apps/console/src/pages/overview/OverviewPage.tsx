import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { usageSeries } from "@tollgate/client/account"
import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { useMemo } from "react"
import { baseUrl } from "../../session/gateway.ts"
import { Card, Code, Loaded, Page, Skeleton } from "../../ui/kit.tsx"
import { Segments } from "../../ui/form.tsx"
import { LowBalance, useBalance, useSeesBalance } from "../billing/parts.tsx"
import { Whose } from "../calls/Whose.tsx"
import { BalanceCard } from "./BalanceCard.tsx"
import { Breakdown, groupingOf, TagBreakdown } from "./Breakdown.tsx"
import { ExportMenu } from "./ExportMenu.tsx"
import { Figures } from "./Figures.tsx"
import classes from "./overview.module.css"
import { shownOf, UsageChart } from "./UsageChart.tsx"
import { choiceText, parseChoice, spanOf, type Width, widthOf, widthsOf } from "./window.ts"
import { WindowPicker } from "./WindowPicker.tsx"

const curl = () =>
  [
    `curl ${baseUrl}/v1/rerank \\`,
    `  -H "Authorization: Bearer $TOLLGATE_KEY" -H "Content-Type: application/json" \\`,
    `  -d '{"query":"rivers","documents":["Rivers bend.","Stones do not."]}'`
  ].join("\n")

/** Nothing was called in this window, and how to change that. */
const NoCalls = ({ ever }: { readonly ever: boolean }) => (
  <Card>
    <div className={classes["first"]}>
      <h2>{ever ? "No calls in this window" : "No calls yet"}</h2>
      <p className="soft">
        {ever
          ? "Choose a longer window, or make a call. It appears here within seconds."
          : "Make the first one in the playground or from a shell. The playground shows the price before it sends anything."}
      </p>
      <p>
        <Link className="button main" to="/playground">
          Open the playground
        </Link>
      </p>
      <Code title="curl" code={curl()} />
    </div>
  </Card>
)

const OverviewSkeleton = () => (
  <>
    <div className={classes["placeholder"]}>
      <Skeleton tall lines={1} />
    </div>
    <div className={classes["columns"]}>
      <Card title="Calls">
        <div className={classes["plot"]}>
          <Skeleton lines={8} />
        </div>
      </Card>
      <Card title="Available">
        <Skeleton lines={6} />
      </Card>
    </div>
  </>
)

const nowInSeconds = () => Date.now() / 1000

/** What was used in the window of the address. It is asked for again every 10 seconds, for a window that ends then. */
const useSeries = (window: string | undefined, width: string | undefined) => {
  const load = useMemo(
    () =>
      Effect.suspend(() => {
        const span = spanOf(parseChoice(window), nowInSeconds())
        return usageSeries({ start_time: span.start, end_time: span.end, width: widthOf(span, width) })
      }),
    [window, width]
  )
  return useLoad(load, { every: "10 seconds", keep: true })
}

const widthNames = { "1h": "Hours", "1d": "Days" } as const

const hasCalls = ({ totals }: Pick<UsageSeries, "totals">): boolean => totals.requests > 0

export const OverviewPage = () => {
  const search = useSearch({ from: "/" })
  const navigate = useNavigate({ from: "/" })
  const loaded = useSeries(search.window, search.width)
  const balance = useBalance(useSeesBalance())
  const choice = parseChoice(search.window)
  const span = spanOf(choice, nowInSeconds())
  const widths = widthsOf(span)
  const change = (next: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...next }, replace: true, resetScroll: false })
  return (
    <Page
      title="Overview"
      lead={<Whose />}
      actions={
        <>
          <WindowPicker choice={choice} onChoose={(next) => change({ window: choiceText(next) })} />
          {widths.length < 2 ? null : (
            <Segments<Width>
              label="Bars"
              options={widths.map((width) => [width, widthNames[width]] as const)}
              value={widthOf(span, search.width)}
              onChange={(width) => change({ width })}
            />
          )}
          {loaded.value === undefined ? null : <ExportMenu series={loaded.value} />}
        </>
      }
    >
      <LowBalance of={balance.value} />
      <Loaded of={loaded} loading={<OverviewSkeleton />} stale="The figures below may be out of date.">
        {(series) => (
          <>
            <Figures series={series} />
            <div className={classes["columns"]}>
              <div>
                {hasCalls(series) ? (
                  <UsageChart series={series} shown={shownOf(search.show)} onShow={(show) => change({ show })} />
                ) : (
                  <NoCalls ever={series.before.requests > 0} />
                )}
              </div>
              <BalanceCard series={series} balance={balance} />
            </div>
            {hasCalls(series) ? (
              <>
                <Breakdown series={series} grouping={groupingOf(search.by)} onGroup={(by) => change({ by })} />
                <TagBreakdown series={series} tag={search.tag} onTag={(tag) => change({ tag })} />
              </>
            ) : null}
          </>
        )}
      </Loaded>
    </Page>
  )
}
