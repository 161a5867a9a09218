import { previewPrices, priceFile, priceRecords, prices } from "@tollgate/client/admin"
import type { PriceLine, PricePreviewRequest } from "@tollgate/contract/admin/Prices"
import { useCall, useLoad } from "@tollgate/react"
import { useMemo, useState } from "react"
import { Button } from "../../../ui/Button.tsx"
import { Notice } from "../../../ui/Notice.tsx"
import { Page } from "../../../ui/Page.tsx"
import { Skeleton } from "../../../ui/Skeleton.tsx"
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

/** The prices in force, what others would have made of past calls, and putting them in force. */
export const PricesPage = () => {
  const { error, refresh, value } = useLoad(load)
  const file = useLoad(loadFile)
  const records = useLoad(loadRecords)
  const [edits, setEdits] = useState(noEdits)
  const [pasted, setPasted] = useState<object>()
  const [edited, setEdited] = useState<PriceLine>()
  const [shown, setShown] = useState<object>()
  const preview = useCall(previewPrices)
  const inForce = value?.prices
  const lines = useMemo(
    () => (inForce ?? []).map((line) => (edits.has(idOf(line)) ? { ...line, config: edits.get(idOf(line)) } : line)),
    [inForce, edits]
  )
  const written = file.value?.section
  const section = useMemo(
    () => pasted ?? changedSection(written, inForce ?? [], lines),
    [pasted, written, inForce, lines]
  )
  const ask = (window: Pick<PricePreviewRequest, "start_time" | "end_time">) => {
    setShown(section)
    preview.call({ prices: section, ...window })
  }
  const edit = (line: PriceLine, config: unknown) => {
    setPasted(undefined)
    setEdits(new Map(edits).set(idOf(line), config))
  }
  const multiply = (factor: bigint) => {
    setPasted(undefined)
    setEdits(new Map(lines.map((line) => [idOf(line), multiplied(line.config, factor)])))
  }
  const reset = () => {
    setPasted(undefined)
    setEdits(noEdits)
  }
  const applied = () => {
    reset()
    setShown(undefined)
    refresh()
    file.refresh()
    records.refresh()
  }
  return (
    <Page title="Prices" lead="The current list prices. Try other prices on past calls, then apply them.">
      <EditPrice of={edited} onClose={() => setEdited(undefined)} onDone={edit} />
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
            changed={
              lines.filter((line, i) => JSON.stringify(line.config) !== JSON.stringify(inForce[i]?.config)).length
            }
            isPasted={pasted !== undefined}
            busy={preview.state === "pending"}
            onMultiply={multiply}
            onPaste={setPasted}
            onPreview={ask}
            onReset={reset}
          />
          {preview.state === "failed" ? <Failure error={preview.error} retry={() => ask({})} /> : null}
          {preview.state === "done" && shown !== undefined && shown !== section ? (
            <Notice kind="warn" title="The prices were changed after this preview">
              <p>
                <Button onClick={() => ask({})}>Preview again</Button>
              </p>
            </Notice>
          ) : null}
          {preview.state === "done" && shown !== undefined ? (
            <>
              <PreviewResult preview={preview.value} />
              <ApplyCard
                preview={preview.value}
                section={shown}
                file={file.value}
                isStale={shown !== section}
                onApplied={applied}
                onRefused={() => {
                  file.refresh()
                  records.refresh()
                }}
              />
            </>
          ) : null}
          <PriceTable lines={lines} inForce={inForce} onEdit={setEdited} />
          {records.error === undefined ? null : <Failure error={records.error} retry={records.refresh} />}
          <RecordsCard records={records.value?.records ?? []} />
        </>
      )}
    </Page>
  )
}
