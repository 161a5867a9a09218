import { previewPrices, prices } from "@tollgate/client/admin"
import type { PriceLine, PricePreviewRequest } from "@tollgate/contract/admin/Prices"
import { useCall, useLoad } from "@tollgate/react"
import { useMemo, useState } from "react"
import { Button } from "../../../ui/Button.tsx"
import { Notice } from "../../../ui/Notice.tsx"
import { Page } from "../../../ui/Page.tsx"
import { Skeleton } from "../../../ui/Skeleton.tsx"
import { Failure } from "../parts/Failure.tsx"
import { DraftCard } from "./DraftCard.tsx"
import { formatDecimal, multiplyDecimal, parseDecimal, idOf, mapAmounts, sectionOf } from "./section.ts"
import { EditPrice } from "./EditPrice.tsx"
import { GapsCard } from "./GapsCard.tsx"
import { PreviewResult } from "./PreviewResult.tsx"
import { PriceTable } from "./PriceTable.tsx"

const load = prices()

const multiplied = (price: unknown, factor: bigint): unknown =>
  mapAmounts(price, (amount) => {
    const nanos = parseDecimal(amount)
    return nanos === undefined ? amount : formatDecimal(multiplyDecimal(nanos, factor))
  })

type Edits = ReadonlyMap<string, unknown>
const noEdits: Edits = new Map()

/** The prices in force, and what others would have made of past calls. Nothing here changes a price. */
export const PricesPage = () => {
  const { error, refresh, value } = useLoad(load)
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
  const section = useMemo(() => pasted ?? sectionOf(lines), [pasted, lines])
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
  return (
    <Page title="Prices" lead="The current list prices. Try prices on past calls. Nothing is saved.">
      <EditPrice of={edited} onClose={() => setEdited(undefined)} onDone={edit} />
      <GapsCard />
      {error === undefined ? null : <Failure error={error} retry={refresh} />}
      {inForce === undefined ? (
        error === undefined ? (
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
            <PreviewResult preview={preview.value} section={shown} />
          ) : null}
          <PriceTable lines={lines} inForce={inForce} onEdit={setEdited} />
        </>
      )}
    </Page>
  )
}
