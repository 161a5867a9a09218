import type { ImportedOperation, ImportPreview } from "@tollgate/contract/admin/Import"
import { count } from "../../../ui/amounts.ts"
import { Card, Code, Notice, OperationId, Tag } from "../../../ui/kit.tsx"
import styles from "../operator.module.css"
import { DataTable } from "../parts/DataTable.tsx"

const Price = ({ of }: { readonly of: unknown }) => {
  if (of === "pending") return <Tag kind="warn">No price</Tag>
  if (of === "free") return "Free"
  if (typeof of !== "object" || of === null) return "As in the file"
  return "amount" in of && Object.keys(of).length === 1 ? `$${String(of.amount)}` : "As in the file"
}

const Operations = ({ all, shown }: { readonly all: number; readonly shown: ReadonlyArray<ImportedOperation> }) => (
  <>
    <div className={styles.tallTable}>
      <DataTable label="Operations" columns={["Operation", "Call", { number: "Price of a call" }]}>
        {shown.map(({ id, method, path, price }) => (
          <tr key={id}>
            <th scope="row" className={styles.name}>
              <span className={styles.wrap}>
                <OperationId id={id} />
              </span>
            </th>
            <td data-label="Call" className={`mono ${styles.wrap}`}>
              {method} {path}
            </td>
            <td data-label="Price of a call" className="number">
              <Price of={price} />
            </td>
          </tr>
        ))}
      </DataTable>
    </div>
    {all > shown.length ? <p className="soft">And {count(all - shown.length)} more.</p> : null}
  </>
)

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
      {preview.count === 0 ? null : <Operations all={preview.count} shown={preview.operations} />}
      {report === "" ? null : (
        <div className={`${styles.tall} ${styles.report}`}>
          <Code title="Report" code={report} />
        </div>
      )}
    </Card>
  )
}
