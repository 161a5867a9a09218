import styles from "./result.module.css"

/** The headers of the last answer. */
export const HeaderTable = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => {
  const rows = Object.entries(headers).toSorted(([one], [other]) => one.localeCompare(other))
  return (
    <details className={styles["headers"]}>
      <summary>
        Headers <span className="soft small">· {rows.length}</span>
      </summary>
      <div className="table">
        <table>
          <tbody>
            {rows.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td>
                  <code>{value.slice(0, 1_000)}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
