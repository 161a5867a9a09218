import { previewPrices, priceFile, priceRecords, prices } from "@tollgate/client/admin"
import type { PriceLine } from "@tollgate/contract/admin/Prices"
import { useLoad } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { useEffect, useMemo, useRef, useState } from "react"
import { Page, Skeleton } from "../../../ui/kit.tsx"
import { Failure } from "../parts/Failure.tsx"
import { ApplyCard } from "./ApplyCard.tsx"
import { DraftCard } from "./DraftCard.tsx"
import { formatDecimal, multiplyDecimal, parseDecimal, idOf, mapAmounts, changedSection } from "./section.ts"
import { EditPrice } from "./EditPrice.tsx"
import { GapsCard } from "./GapsCard.tsx"
import { PreviewResult } from "./PreviewResult.tsx"
import { PriceTable } from "./PriceTable.tsx"
import { RecordsCard } from "./RecordsCard.tsx"

const load = prices()
const loadFile = priceFile()
const loadRecords = priceRecords()

const multiplied = (price: unknown, factor: bigint): unknown =>
  mapAmounts(price, (amount) => {
    const nanos = parseDecimal(amount)
    return nanos === undefined ? amount : formatDecimal(multiplyDecimal(nanos, factor))
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

/** The prices in force, what others would have made of past calls, and putting them in force. */
export const PricesPage = () => {
  const { error, refresh, value } = useLoad(load)
  const file = useLoad(loadFile)
  const records = useLoad(loadRecords)
  const [edits, setEdits] = useState(noEdits)
  const [pasted, setPasted] = useState<object>()
  const [edited, setEdited] = useState<PriceLine>()
  const [days, setDays] = useState(1)
  const inForce = value?.prices
  const lines = useMemo(
    () => (inForce ?? []).map((line) => (edits.has(idOf(line)) ? { ...line, config: edits.get(idOf(line)) } : line)),
    [inForce, edits]
  )
  const changed = lines.filter((line, i) => JSON.stringify(line.config) !== JSON.stringify(inForce?.[i]?.config)).length
  const written = file.value?.section
  const section = useMemo(
    () => pasted ?? changedSection(written, inForce ?? [], lines),
    [pasted, written, inForce, lines]
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
  const applied = () => {
    reset()
    refresh()
    file.refresh()
    records.refresh()
  }
  const refused = () => {
    file.refresh()
    records.refresh()
  }
  return (
    <Page title="Prices" lead="The current list prices. Try other prices on past calls, then apply them.">
      <EditPrice
        of={edited}
        onClose={() => setEdited(undefined)}
        onDone={(line, config) => change(new Map(edits).set(idOf(line), config))}
      />
      <GapsCard />
      {error === undefined ? null : <Failure error={error} retry={refresh} />}
      {file.error === undefined ? null : <Failure error={file.error} retry={file.refresh} />}
      {inForce === undefined || file.value === undefined ? (
        error === undefined && file.error === undefined ? (
          <Skeleton lines={8} />
        ) : null
      ) : (
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
          {tried.error === undefined ? null : <Failure error={tried.error} retry={tried.refresh} />}
          {isDraft && tried.error === undefined && tried.value !== undefined ? (
            <PreviewResult ref={result} preview={tried.value.preview}>
              <ApplyCard
                preview={tried.value.preview}
                section={tried.value.section}
                file={file.value}
                isStale={tried.state !== "ready" || tried.value.section !== section}
                onApplied={applied}
                onRefused={refused}
              />
            </PreviewResult>
          ) : null}
          <PriceTable lines={lines} inForce={inForce} onEdit={setEdited} />
          {records.error === undefined ? null : <Failure error={records.error} retry={records.refresh} />}
          <RecordsCard records={records.value?.records ?? []} />
        </>
      )}
    </Page>
  )
}
