import { applyImport } from "@tollgate/client/admin"
import type { ImportedOperation, ImportPreview, ImportRequest } from "@tollgate/contract/admin/Import"
import { useEffect, useRef } from "react"
import { count, counted } from "../../../ui/amounts.ts"
import { saveFile } from "../../../ui/csv.ts"
import { Button, Card, Code, Notice, Tag } from "../../../ui/kit.tsx"
import { type Column, Table, operationColumn } from "../../../ui/Table.tsx"
import styles from "../operator.module.css"
import { NoteForm, Problems } from "../parts.tsx"

const Price = ({ of }: { readonly of: unknown }) => {
  if (of === "pending") return <Tag kind="warn">No price</Tag>
  if (of === "free") return "Free"
  if (typeof of !== "object" || of === null) return "As in the file"
  return "amount" in of && Object.keys(of).length === 1 ? `$${String(of.amount)}` : "As in the file"
}

const columns: ReadonlyArray<Column<ImportedOperation>> = [
  { head: "Operation", kind: "name", cell: ({ id }) => operationColumn.cell({ operation: id }) },
  { head: "Call", className: "mono wrap", cell: ({ method, path }) => `${method} ${path}` },
  { head: "Price of a call", kind: "number", cell: ({ price }) => <Price of={price} /> }
]

/** What the import would do, and why it leaves things out. */
export const ImportResult = ({ preview }: { readonly preview: ImportPreview }) => {
  const [summary = "", ...rest] = preview.report
  const report = rest.join("\n").trim()
  const status = useRef<HTMLParagraphElement>(null)
  // The form above it fills the window.
  useEffect(() => status.current?.scrollIntoView({ block: "center" }), [preview])
  return (
    <Card title="Preview">
      <p ref={status} role="status">
        {summary}
      </p>
      {preview.problems.length === 0 ? null : (
        <Notice kind="bad" title="The gateway would refuse this">
          <Problems of={preview.problems} />
        </Notice>
      )}
      {preview.variable === null ? null : (
        <Notice title="The credential is not in the file">
          <p>
            The gateway reads it from the environment variable <code>{preview.variable}</code>. Start the gateway with
            this variable set.
          </p>
        </Notice>
      )}
      {preview.count === 0 ? null : (
        <div className={styles.tallTable}>
          <Table label="Operations" columns={columns} rows={preview.operations} keyOf={({ id }) => id} />
        </div>
      )}
      {preview.count > preview.operations.length ? (
        <p className="soft">And {count(preview.count - preview.operations.length)} more.</p>
      ) : null}
      {report === "" ? null : (
        <div className={`${styles.tall} ${styles.report}`}>
          <Code title="Report" code={report} />
        </div>
      )}
    </Card>
  )
}

interface AddCardProps {
  readonly preview: ImportPreview
  readonly request: ImportRequest
  /** Whether the form is another one by now. */
  readonly isStale: boolean
  readonly onAdded: () => void
  readonly onRefused: () => void
  readonly onAgain: () => void
}

const hasEntries = ({ config }: ImportPreview): boolean => Object.keys(config as object).length > 0

const Entries = ({ preview }: Pick<AddCardProps, "preview">) =>
  hasEntries(preview) ? (
    <div className={styles.tall}>
      <Code title="Configuration file" code={JSON.stringify(preview.config, null, 2)} />
    </div>
  ) : null

/** Writes what the preview and the text below show. */
const AddForm = ({ isStale, onAdded, onAgain, onRefused, preview, request }: AddCardProps) => {
  const { change, count: operations, file, fingerprint, problems } = preview
  return (
    <>
      <NoteForm
        may="applyImport"
        ask="an owner to add it"
        submit="Add to the configuration"
        disabled={isStale || problems.length > 0}
        run={(note) => applyImport({ ...request, fingerprint: fingerprint ?? "", note })}
        done={(added) => {
          onAdded()
          return `${counted(added.count, "operation")} in ${added.file}. Callers can use them now.`
        }}
        onRefused={onRefused}
        onAgain={onAgain}
      >
        <p>
          The gateway writes <code>{file}</code> with {counted(operations, "operation")}
          {hasEntries(preview) ? " and adds the text below to its configuration file" : ""}. Then it reloads the
          configuration.
          {change === "changed" ? " The file exists. Prices, limits and other changes by hand stay." : ""}
        </p>
      </NoteForm>
      <Entries preview={preview} />
    </>
  )
}

/** Adds what a preview shows to the files, or gives it to the operator. */
export const AddCard = (props: AddCardProps) => {
  const { preview } = props
  const { change: kind, file, refusal } = preview
  if (kind === "nothing") return null
  return (
    <Card title="Add to the configuration">
      {kind === "same" && !hasEntries(preview) ? (
        <p>The file is up to date. There is nothing to add.</p>
      ) : refusal === null ? (
        <AddForm {...props} />
      ) : (
        <>
          <Notice title="Change the files yourself">
            <p>{refusal}</p>
            <p>
              Save <code>{file}</code> beside the configuration file
              {hasEntries(preview) ? ", and put the text below into the configuration file" : ""}. Then reload it.
            </p>
          </Notice>
          <p>
            <Button onClick={() => saveFile(file, new Blob([preview.file_text], { type: "application/json" }))}>
              Save {file}
            </Button>
          </p>
          <Entries preview={preview} />
        </>
      )}
    </Card>
  )
}
