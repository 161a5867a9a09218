import { accountCalls } from "@tollgate/client/admin"
import { useLoad } from "@tollgate/react"
import { useEffect, useMemo, useRef, useState } from "react"
import { Button } from "../../../ui/Button.tsx"
import { Card } from "../../../ui/Card.tsx"
import { Empty } from "../../../ui/Empty.tsx"
import { Skeleton } from "../../../ui/Skeleton.tsx"
import { Failure } from "../parts/Failure.tsx"
import styles from "../operator.module.css"
import { CallStory } from "./CallStory.tsx"
import { CallTable } from "./CallTable.tsx"

const fewest = 10
const most = 200

interface CallsCardProps {
  readonly account: string
  /** There are other calls than before, or one of them ended. */
  readonly onChange: () => void
}

/** The newest calls of the account. */
export const CallsCard = ({ account, onChange }: CallsCardProps) => {
  const [limit, setLimit] = useState(fewest)
  const [chosen, setChosen] = useState<string>()
  const load = useMemo(() => accountCalls(account, { limit }), [account, limit])
  const { error, refresh, value } = useLoad(load, { every: "5 seconds", keep: true })
  const newest = value?.calls
    .slice(0, fewest)
    .map(({ ended_at, id }) => `${id} ${ended_at}`)
    .join()
  const known = useRef<string>(undefined)
  useEffect(() => {
    if (known.current !== undefined && known.current !== newest) onChange()
    known.current = newest
  }, [newest, onChange])
  return (
    <>
      <CallStory account={account} call={chosen} onClose={() => setChosen(undefined)} />
      <Card title="Latest calls" flush>
        {error === undefined ? null : <Failure error={error} retry={refresh} />}
        {value === undefined ? (
          error === undefined ? (
            <div className={styles.inside}>
              <Skeleton lines={5} />
            </div>
          ) : null
        ) : value.calls.length === 0 ? (
          <Empty title="No calls yet" />
        ) : (
          <CallTable calls={value.calls} onOpen={setChosen} />
        )}
        {value === undefined || value.next === null || limit >= most ? null : (
          <p className={styles.more}>
            <span className="soft small">The newest {limit}</span>
            <Button onClick={() => setLimit(most)}>Show more</Button>
          </p>
        )}
      </Card>
    </>
  )
}
