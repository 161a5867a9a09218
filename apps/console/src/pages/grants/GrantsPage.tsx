import { grants } from "@tollgate/client/account"
import { useLoad } from "@tollgate/react"
import { Card } from "../../ui/Card.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Page } from "../../ui/Page.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { useNow } from "../../ui/useNow.ts"
import { GrantRow } from "./GrantRow.tsx"

const load = grants()

/** The agents and pages that may spend for the account. */
export const GrantsPage = () => {
  const { error, refresh, value } = useLoad(load, { every: "10 seconds" })
  const now = useNow(10_000)
  return (
    <Page title="Grants" lead="Agents and pages that were let in, what they have spent, and how to take access back.">
      {error === undefined ? null : <ErrorNotice error={error} />}
      <Card flush>
        {value === undefined ? (
          error === undefined ? (
            <Skeleton lines={4} />
          ) : null
        ) : value.grants.length === 0 ? (
          <Empty title="Nobody was let in yet">
            <p>
              An agent that knows the address <code>{location.origin}/mcp</code> asks for access by itself.
            </p>
          </Empty>
        ) : (
          <div className="table">
            <table>
              <thead>
                <tr>
                  <th scope="col">Program</th>
                  <th scope="col">Let in</th>
                  <th scope="col" className="number">
                    Spent
                  </th>
                  <th scope="col">
                    <span className="quiet">Action</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {value.grants.map((grant) => (
                  <GrantRow key={grant.id} grant={grant} now={now} onRevoked={refresh} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Card>
    </Page>
  )
}
