import { Link } from "@tanstack/react-router"
import { accountCalls } from "@tollgate/client/admin"
import { useLoad } from "@tollgate/react/effect"
import { useMemo } from "react"
import { List } from "../../../ui/Table.tsx"
import { callColumns } from "../../calls/callParts.tsx"
import { operationName } from "../../calls/story.ts"

export const CallsCard = ({ account }: { readonly account: string }) => (
  <List
    title="Latest calls"
    of={useLoad(
      useMemo(() => accountCalls(account, { limit: 100 }), [account]),
      { every: "5 seconds", keep: true }
    )}
    columns={callColumns((call) => (
      <Link to="/operator/calls/$account/$call" params={{ account, call: call.id }}>
        {operationName(call)}
      </Link>
    ))}
    rows={({ calls }) => calls}
    keyOf={({ id }) => id}
    first={10}
    empty="No calls yet"
    action={
      <Link to="/operator/calls" search={{ account }}>
        All
      </Link>
    }
  />
)
