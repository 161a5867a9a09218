import { applyImport } from "@tollgate/client/admin"
import type { ImportPreview, ImportRequest } from "@tollgate/contract/admin/Import"
import { Button, Card, Code, Notice } from "../../../ui/kit.tsx"
import { saveFile } from "../../../ui/saveFile.ts"
import styles from "../operator.module.css"
import { counted, NoteForm } from "../parts.tsx"

interface AddCardProps {
  readonly preview: ImportPreview
  /** What the preview was made from. */
  readonly request: ImportRequest
  /** Whether the form is another one by now. */
  readonly isStale: boolean
  readonly onAdded: () => void
  readonly onRefused: () => void
  readonly onAgain: () => void
}

const hasEntries = ({ config }: ImportPreview): boolean => Object.keys(config as object).length > 0

/** What the configuration file gets. */
const Entries = ({ preview }: Pick<AddCardProps, "preview">) =>
  hasEntries(preview) ? (
    <div className={styles.tall}>
      <Code title="Configuration file" code={JSON.stringify(preview.config, null, 2)} />
    </div>
  ) : null

/** Writes what the preview and the text below show. */
const AddForm = ({ isStale, onAdded, onAgain, onRefused, preview, request }: AddCardProps) => {
  const { change, count, file, fingerprint, problems } = preview
  return (
    <>
      <NoteForm
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
          The gateway writes <code>{file}</code> with {counted(count, "operation")}
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
