import { importRecords, previewImport } from "@tollgate/client/admin"
import type { ImportRecord, ImportRequest } from "@tollgate/contract/admin/Import"
import { useCall, useLoad } from "@tollgate/react"
import { useState } from "react"
import { count } from "../../../ui/amounts.ts"
import { Form } from "../../../ui/ChangeButton.tsx"
import { Card, ErrorNotice, Loaded, Notice, Page } from "../../../ui/kit.tsx"
import { Table } from "../../../ui/Table.tsx"
import { recordColumns } from "../parts.tsx"
import { importForm } from "./importForm.ts"
import { AddCard, ImportResult } from "./PreviewCards.tsx"

const columns = recordColumns<ImportRecord>(
  { head: "Upstream", cell: ({ upstream }) => upstream },
  { head: "Operations", kind: "number", cell: ({ operations }) => count(operations) }
)

const loadRecords = importRecords()

/** Sells an API that has an OpenAPI document: what would be sold, and adding it to the configuration. */
export const ImportPage = () => {
  const records = useLoad(loadRecords)
  /** What the preview on the page was made from. */
  const [request, setRequest] = useState<ImportRequest>()
  const [isStale, setStale] = useState(false)
  /** The browser keeps the chosen file, until the form is another one. */
  const [form, setForm] = useState(0)
  const preview = useCall(previewImport)
  const ask = (wanted: ImportRequest) => {
    setRequest(wanted)
    setStale(false)
    preview.call(wanted)
  }
  const again = () => {
    if (request !== undefined) ask(request)
  }
  return (
    <Page title="Import" lead="Sell the operations of an OpenAPI document. A preview shows what becomes of each.">
      <Card title="The API">
        <Form
          key={form}
          {...importForm}
          submit="Preview"
          change={{ busy: preview.state === "pending", error: undefined }}
          onChange={() => setStale(true)}
          onSubmit={ask}
        />
      </Card>
      {preview.state === "failed" ? <ErrorNotice error={preview.error} retry={again} /> : null}
      {preview.state === "done" && request !== undefined ? (
        <>
          {isStale ? (
            <Notice kind="warn" title="The form was changed after this preview">
              <p>Preview it again to add it.</p>
            </Notice>
          ) : null}
          <ImportResult preview={preview.value} />
          <AddCard
            preview={preview.value}
            request={request}
            isStale={isStale}
            onAdded={() => {
              setRequest(undefined)
              setForm(form + 1)
              records.refresh()
            }}
            onRefused={records.refresh}
            onAgain={again}
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
