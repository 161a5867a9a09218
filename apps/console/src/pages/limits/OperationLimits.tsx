import { offer } from "@tollgate/client/account"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { useLoad } from "@tollgate/react"
import { Card, Skeleton } from "../../ui/kit.tsx"
import styles from "./limits.module.css"

const load = offer()

const byLimits = (
  operations: ReadonlyArray<OfferedOperation>
): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => {
  const groups = new Map<string, Array<string>>()
  for (const { id, limits } of operations) {
    const [, more] = /; in addition (.*)$/.exec(limits) ?? []
    if (more === undefined) continue
    const group = groups.get(more)
    if (group === undefined) groups.set(more, [id])
    else group.push(id)
  }
  return [...groups].toSorted(([, a], [, b]) => a.length - b.length)
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`

/** Which limits an operation counts towards beside the requests per minute. */
export const OperationLimits = () => {
  const { error, value } = useLoad(load)
  if (error !== undefined) return null
  return (
    <Card title="By operation" flush>
      <p className={styles["inside"]}>
        Every call counts towards the requests per minute. These operations have further limits.
      </p>
      {value === undefined ? (
        <div className={styles["inside"]} role="status" aria-label="Loading">
          <Skeleton lines={4} />
        </div>
      ) : (
        <div className="table" tabIndex={0} role="group" aria-label="By operation">
          <table>
            <thead>
              <tr>
                <th scope="col">Also counts towards</th>
                <th scope="col">Operations</th>
              </tr>
            </thead>
            <tbody>
              {byLimits(value.operations).map(([limits, ids]) => (
                <tr key={limits}>
                  <th scope="row" className={styles["counts"]}>
                    {sentence(limits)}
                  </th>
                  <td className={styles["ids"]}>
                    {ids.map((id) => (
                      <code key={id}>{id}</code>
                    ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  )
}
