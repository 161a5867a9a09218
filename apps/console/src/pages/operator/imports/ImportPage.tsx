import { Link } from "@tanstack/react-router"
import { previewImport } from "@tollgate/client/admin"
import type { ImportRequest } from "@tollgate/contract/admin/Import"
import { useCall, useLoad } from "@tollgate/react/effect"
import { useState } from "react"
import { Form } from "../../../ui/ChangeButton.tsx"
import { Card, ErrorNotice, Loaded, Notice, Page } from "../../../ui/kit.tsx"
import { ConfigurationChanges, loadConfigurationChanges } from "../prices/ConfigurationChanges.tsx"
import { importForm } from "./importForm.ts"
import { AddCard, ImportResult } from "./PreviewCards.tsx"

/** Sells an API that has an OpenAPI document: what would be sold, and adding it to the configuration. */
export const ImportPage = () => {
  const changes = useLoad(loadConfigurationChanges)
  /** What the preview on the page was made from. */
  const [request, setRequest] = useState<ImportRequest>()
  const [isStale, setStale] = useState(false)
  /** The browser keeps the chosen file, until the form is another one. */
  const [form, setForm] = useState(0)
  /** The first operation of the API that was added last. */
  const [added, setAdded] = useState<string>()
  const preview = useCall(previewImport)
  const ask = (wanted: ImportRequest) => {
    setRequest(wanted)
    setAdded(undefined)
    setStale(false)
    preview.call(wanted)
  }
  const again = () => {
    if (request !== undefined) ask(request)
  }
  return (
    <Page
      title="Operations"
      lead="Add an API by its OpenAPI document. A preview shows each operation before anything changes."
    >
      <Card title="Add an API">
        <Form
          key={form}
          {...importForm}
          submit="Preview"
          more="More options"
          change={{ busy: preview.state === "pending", error: undefined }}
          onChange={() => setStale(true)}
          onSubmit={ask}
        />
      </Card>
      {preview.state === "pending" ? (
        <p className="soft" role="status">
          Reading the document. A large one may take a minute.
        </p>
      ) : null}
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
              setAdded(preview.value.operations[0]?.id)
              setForm(form + 1)
              changes.refresh()
            }}
            onRefused={changes.refresh}
            onAgain={again}
          />
        </>
      ) : null}
      {added === undefined ? null : (
        <Notice kind="good" title="The API was added">
          <Link to="/playground/$operation" params={{ operation: added }}>
            Try it in the playground
          </Link>
        </Notice>
      )}
      <Loaded of={changes} loading={<></>}>
        {({ trail }) => <ConfigurationChanges entries={trail} />}
      </Loaded>
    </Page>
  )
}
