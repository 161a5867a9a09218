import type { ImportedOperation, ImportPreview } from "@tollgate/contract/admin/Import"
import { count } from "../../../ui/amounts.ts"
import { Card, Code, Notice, Tag } from "../../../ui/kit.tsx"
import { type Column, Table, operationColumn } from "../../../ui/Table.tsx"
import styles from "../operator.module.css"

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
  return (
    <Card title="Preview">
      <p role="status">{summary}</p>
      {preview.problems.length === 0 ? null : (
        <Notice kind="bad" title="The gateway would refuse this">
          <ul className={styles.problems}>
            {preview.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
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
