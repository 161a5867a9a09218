import { Link } from "@tanstack/react-router"
import { accountCalls } from "@tollgate/client/admin"
import { useLoad } from "@tollgate/react/effect"
import { useMemo, useState } from "react"
import { Button } from "../../../ui/kit.tsx"
import { List } from "../../../ui/Table.tsx"
import { callColumns } from "../../calls/callParts.tsx"
import { operationName } from "../../calls/story.ts"

const fewest = 10
const most = 200

export const CallsCard = ({ account }: { readonly account: string }) => {
  const [limit, setLimit] = useState(fewest)
  const load = useMemo(() => accountCalls(account, { limit }), [account, limit])
  const loaded = useLoad(load, { every: "5 seconds", keep: true })
  return (
    <List
      title="Latest calls"
      of={loaded}
      columns={callColumns((call) => (
        <Link to="/operator/calls/$account/$call" params={{ account, call: call.id }}>
          {operationName(call)}
        </Link>
      ))}
      rows={({ calls }) => calls}
      keyOf={({ id }) => id}
      empty="No calls yet"
      below={({ next }) =>
        next === null || limit >= most ? null : (
          <p>
            <span className="soft small">The newest {limit}</span>
            <Button onClick={() => setLimit(most)}>Show more</Button>
          </p>
        )
      }
    />
  )
}
