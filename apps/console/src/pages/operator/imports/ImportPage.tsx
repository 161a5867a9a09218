import { importRecords, previewImport } from "@tollgate/client/admin"
import type { ImportRecord, ImportRequest } from "@tollgate/contract/admin/Import"
import { useCall, useLoad } from "@tollgate/react"
import { useState } from "react"
import { count } from "../../../ui/amounts.ts"
import { Button, Card, ErrorNotice, Loaded, Notice, Page } from "../../../ui/kit.tsx"
import { Table } from "../../../ui/Table.tsx"
import { recordColumns } from "../parts.tsx"
import { AddCard } from "./AddCard.tsx"
import { emptyDraft, requestOf } from "./draft.ts"
import { ImportForm } from "./ImportForm.tsx"
import { ImportResult } from "./ImportResult.tsx"

/** When APIs were added, and by whom. */
const columns = recordColumns<ImportRecord>(
  { head: "Upstream", cell: ({ upstream }) => upstream },
  { head: "Operations", kind: "number", cell: ({ operations }) => count(operations) }
)

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
      {preview.state === "failed" ? <ErrorNotice error={preview.error} retry={ask} /> : null}
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
      <Loaded of={records} loading={<></>}>
        {({ records }) =>
          records.length === 0 ? null : (
            <Card title="Added APIs" flush>
              <Table label="Added APIs" columns={columns} rows={records} keyOf={({ id }) => id} />
            </Card>
          )
        }
      </Loaded>
    </Page>
  )
}
