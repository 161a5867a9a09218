import { accountUsage } from "@tollgate/client/admin"
import { useLoad } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { useEffect, useMemo, useState } from "react"
import { Card, Empty, Skeleton } from "../../../ui/kit.tsx"
import { Segments } from "../../../ui/form.tsx"
import { Figures } from "../../overview/Figures.tsx"
import { type Shown, UsageChart } from "../../overview/UsageChart.tsx"
import { type Preset, presets, spanOf, widthOf } from "../../overview/window.ts"
import { Failure } from "../parts/Failure.tsx"
import styles from "../operator.module.css"

interface UsageSectionProps {
  readonly account: string
  /** Another number: calls were made, and the figures are asked for again. */
  readonly changes: number
}

/** What the account used, as its owner sees it. */
export const UsageSection = ({ account, changes }: UsageSectionProps) => {
  const [preset, setPreset] = useState<Preset>("7d")
  const [shown, setShown] = useState<Shown>("requests")
  const load = useMemo(
    () =>
      Effect.suspend(() => {
        const span = spanOf(preset, Date.now() / 1000)
        return accountUsage(account, { start_time: span.start, end_time: span.end, width: widthOf(span, undefined) })
      }),
    [account, preset]
  )
  const { error, refresh, value } = useLoad(load, { every: "15 seconds", keep: true })
  useEffect(() => {
    if (changes > 0) refresh()
  }, [changes, refresh])
  return (
    <section aria-labelledby="usage">
      <header className={styles.head}>
        <h2 id="usage">Usage</h2>
        <Segments label="Window" options={presets} value={preset} onChange={setPreset} />
      </header>
      {error === undefined ? null : <Failure error={error} retry={refresh} />}
      {value === undefined ? (
        error === undefined ? (
          <Skeleton lines={4} tall />
        ) : null
      ) : (
        <>
          <Figures series={value} />
          {value.totals.requests === 0 ? (
            <Card>
              <Empty title="No calls in this window" />
            </Card>
          ) : (
            <UsageChart series={value} shown={shown} onShow={setShown} />
          )}
        </>
      )}
    </section>
  )
}
