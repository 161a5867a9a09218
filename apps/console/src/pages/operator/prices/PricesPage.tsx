import { formatUsd } from "@tollgate/contract/Money"
import { gaps, previewPrices, priceFile, prices as readPrices } from "@tollgate/client/admin"
import type { Gaps, PriceFile, PriceLine } from "@tollgate/contract/admin/Prices"
import type { TrailEntry } from "@tollgate/contract/admin/Trail"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { useEffect, useMemo, useRef, useState } from "react"
import { count } from "../../../ui/amounts.ts"
import { ErrorNotice, Loaded, Notice, Page, Skeleton } from "../../../ui/kit.tsx"
import { type Column, TableCard } from "../../../ui/Table.tsx"
import { dateOnly, fullTime } from "../../../ui/times.ts"
import styles from "../operator.module.css"
import { ConfigurationChanges, loadConfigurationChanges } from "./ConfigurationChanges.tsx"
import { DraftCard } from "./DraftCard.tsx"
import { PreviewResult } from "./PreviewResult.tsx"
import { PriceTable } from "./PriceTable.tsx"
import { multiplyDecimal, parseDecimal, idOf, mapAmounts, changedSection } from "./section.ts"

const load = Effect.map(
  Effect.all([readPrices(), priceFile(), loadConfigurationChanges], { concurrency: "unbounded" }),
  ([{ prices }, file, { trail }]) => ({ inForce: prices, file, entries: trail })
)

type Gap = Gaps["gaps"][number]

const gapColumns: ReadonlyArray<Column<Gap>> = [
  {
    head: "Without a price",
    kind: "name",
    cell: ({ model, name, operation }) => (
      <>
        <span className="mono wrap">{name}</span>
        <span className="mono soft">{model ?? operation}</span>
      </>
    )
  },
  { head: "Calls", kind: "number", cell: ({ calls }) => count(calls) },
  { head: "Charged", usd: (gap) => gap.charged_micros_usd },
  {
    head: "First",
    className: styles.date,
    title: (gap) => fullTime(gap.first_at),
    cell: (gap) => dateOnly(gap.first_at)
  },
  { head: "Last", className: styles.date, title: (gap) => fullTime(gap.last_at), cell: (gap) => dateOnly(gap.last_at) },
  { head: "Such as", className: "mono", cell: ({ example }) => example }
]

const loadGaps = gaps()

/** What calls used and no price covers. Nothing is shown while there is none. */
const GapsCard = () => (
  <Loaded of={useLoad(loadGaps)} loading={<></>}>
    {({ gaps }) =>
      gaps.length === 0 ? null : (
        <TableCard
          title="Used without a price"
          above={
            <Notice kind="warn" title="These are charged at the nearest price">
              <p>Add the missing names to the model's price. They disappear once priced.</p>
            </Notice>
          }
          columns={gapColumns}
          rows={gaps}
          keyOf={({ model, name, operation }) => JSON.stringify([operation, model, name])}
        />
      )
    }
  </Loaded>
)

const multiplied = (price: unknown, factor: bigint): unknown =>
  mapAmounts(price, (amount) => {
    const nanos = parseDecimal(amount)
    return nanos === undefined ? amount : formatUsd(multiplyDecimal(nanos, factor))
  })

type Edits = ReadonlyMap<string, unknown>
const noEdits: Edits = new Map()

/** What a section would have made of the calls of the last days. The gateway takes one day if it is asked for none. */
const previewOf = (section: object, days: number) =>
  Effect.suspend(() => {
    const end_time = Math.floor(Date.now() / 1000)
    const window = days === 1 ? {} : { start_time: end_time - days * 86_400, end_time }
    return Effect.map(previewPrices({ prices: section, ...window }), (preview) => ({ preview, section }))
  })

interface PricesProps {
  readonly inForce: ReadonlyArray<PriceLine>
  readonly file: PriceFile
  readonly entries: ReadonlyArray<TrailEntry>
  /** Other prices were applied, or the file is another one. */
  readonly onChanged: () => void
}

const Prices = ({ entries, file, inForce, onChanged }: PricesProps) => {
  const [edits, setEdits] = useState(noEdits)
  const [pasted, setPasted] = useState<object>()
  const [days, setDays] = useState(1)
  const lines = useMemo(
    () => inForce.map((line) => (edits.has(idOf(line)) ? { ...line, config: edits.get(idOf(line)) } : line)),
    [inForce, edits]
  )
  const changed = lines.filter((line, i) => JSON.stringify(line.config) !== JSON.stringify(inForce[i]?.config)).length
  const section = useMemo(
    () => pasted ?? changedSection(file.section, inForce, lines),
    [pasted, file.section, inForce, lines]
  )
  const isDraft = pasted !== undefined || changed > 0
  const tried = useLoad(
    useMemo(() => (isDraft ? previewOf(section, days) : Effect.succeed(undefined)), [isDraft, section, days]),
    { keep: true }
  )

  // Who tries a price far below sees what it does.
  const result = useRef<HTMLElement>(null)
  const follows = useRef(false)
  useEffect(() => {
    if (tried.state !== "ready" || !follows.current || result.current === null) return
    follows.current = false
    result.current.focus({ preventScroll: true })
    result.current.scrollIntoView({ block: "start" })
  }, [tried.state, tried.value])

  const change = (edits: Edits, pasted?: object) => {
    follows.current = true
    setPasted(pasted)
    setEdits(edits)
  }
  const reset = () => {
    setPasted(undefined)
    setEdits(noEdits)
  }
  return (
    <>
      <DraftCard
        changed={changed}
        isPasted={pasted !== undefined}
        isBusy={isDraft && tried.state === "loading"}
        days={days}
        onDays={setDays}
        onMultiply={(factor) => change(new Map(lines.map((line) => [idOf(line), multiplied(line.config, factor)])))}
        onPaste={(section) => change(edits, section)}
        onReset={reset}
      />
      {tried.error === undefined ? null : <ErrorNotice error={tried.error} retry={tried.refresh} />}
      {isDraft && tried.error === undefined && tried.value !== undefined ? (
        <PreviewResult
          ref={result}
          preview={tried.value.preview}
          section={tried.value.section}
          file={file}
          isStale={tried.state !== "ready" || tried.value.section !== section}
          onApplied={() => {
            reset()
            onChanged()
          }}
          onRefused={onChanged}
        />
      ) : null}
      <PriceTable
        lines={lines}
        inForce={inForce}
        onEdit={(line, config) => change(new Map(edits).set(idOf(line), config))}
      />
      <ConfigurationChanges entries={entries} />
    </>
  )
}

/** The prices in force, what others would have made of past calls, and putting them in force. */
export const PricesPage = () => {
  const loaded = useLoad(load)
  return (
    <Page
      title="Models and prices"
      lead="The current list prices. A change is first tried on past calls, then you apply it."
    >
      <GapsCard />
      <Loaded of={loaded} loading={<Skeleton lines={8} />}>
        {(found) => <Prices {...found} onChanged={loaded.refresh} />}
      </Loaded>
    </Page>
  )
}
