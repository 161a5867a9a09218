import { importRecords, previewImport } from "@tollgate/client/admin"
import type { ImportRequest } from "@tollgate/contract/admin/Import"
import { useCall, useLoad } from "@tollgate/react"
import { useState } from "react"
import { Button, Notice, Page } from "../../../ui/kit.tsx"
import { Failure } from "../parts/Failure.tsx"
import { AddCard } from "./AddCard.tsx"
import { emptyDraft, requestOf } from "./draft.ts"
import { ImportForm } from "./ImportForm.tsx"
import { ImportResult } from "./ImportResult.tsx"
import { RecordsCard } from "./RecordsCard.tsx"

const loadRecords = importRecords()

/** Sells an API that has an OpenAPI document: what would be sold, and adding it to the configuration. */
export const ImportPage = () => {
  const records = useLoad(loadRecords)
  const [draft, setDraft] = useState(emptyDraft)
  /** What the preview on the page was made from. */
  const [shown, setShown] = useState<{ readonly draft: typeof emptyDraft; readonly request: ImportRequest }>()
  /** The browser keeps the chosen file, until the form is another one. */
  const [form, setForm] = useState(0)
  const preview = useCall(previewImport)
  const ask = () => {
    const request = requestOf(draft)
    setShown({ draft, request })
    preview.call(request)
  }
  const isStale = shown !== undefined && shown.draft !== draft
  return (
    <Page title="Import" lead="Sell the operations of an OpenAPI document. A preview shows what becomes of each.">
      <ImportForm key={form} draft={draft} busy={preview.state === "pending"} onChange={setDraft} onPreview={ask} />
      {preview.state === "failed" ? <Failure error={preview.error} retry={ask} /> : null}
      {preview.state === "done" && isStale ? (
        <Notice kind="warn" title="The form was changed after this preview">
          <p>
            <Button onClick={ask}>Preview again</Button>
          </p>
        </Notice>
      ) : null}
      {preview.state === "done" && shown !== undefined ? (
        <>
          <ImportResult preview={preview.value} />
          <AddCard
            preview={preview.value}
            request={shown.request}
            isStale={isStale}
            onAdded={() => {
              setShown(undefined)
              setDraft(emptyDraft)
              setForm(form + 1)
              records.refresh()
            }}
            onRefused={records.refresh}
            onAgain={ask}
          />
        </>
      ) : null}
      {records.error === undefined ? null : <Failure error={records.error} retry={records.refresh} />}
      <RecordsCard records={records.value?.records ?? []} />
    </Page>
  )
}
