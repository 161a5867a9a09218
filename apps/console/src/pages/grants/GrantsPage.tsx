import { Link } from "@tanstack/react-router"
import { grants } from "@tollgate/client/account"
import { useLoad } from "@tollgate/react"
import { baseUrl } from "../../session/gateway.ts"
import { useProfile } from "../../session/useProfile.ts"
import { usdColumn } from "../../ui/amounts.ts"
import { Button, Card, Empty, ErrorNotice, Page, Skeleton } from "../../ui/kit.tsx"
import { useNow } from "../../ui/times.ts"
import { ApprovalsCard } from "./ApprovalsCard.tsx"
import { GrantRow } from "./GrantRow.tsx"
import styles from "./grants.module.css"

const load = grants()

/** The agents and pages that may spend for the account. */
export const GrantsPage = () => {
  const { error, refresh, value } = useLoad(load, { every: "10 seconds" })
  const { value: profile } = useProfile()
  const now = useNow(10_000)
  // Another credential helps, and another attempt does not.
  const isForbidden = error !== undefined && "status" in error && error.status === 403
  const spentUsd = usdColumn(value === undefined ? [] : value.grants.map((grant) => grant.spent_micros_usd))
  return (
    <Page title="Grants" lead="Apps with access, what they spent, and how to revoke access.">
      {error === undefined || isForbidden ? null : (
        <ErrorNotice error={error}>
          {value === undefined ? null : <p>The list below may be out of date.</p>}
          <Button onClick={refresh}>Try again</Button>
        </ErrorNotice>
      )}
      {isForbidden ? null : <ApprovalsCard now={now} />}
      {isForbidden ? (
        <Card>
          <Empty title="This credential cannot see grants">
            <p>{error.message}</p>
          </Empty>
        </Card>
      ) : value === undefined ? (
        error === undefined ? (
          <Card>
            <div role="status" aria-label="Loading">
              <Skeleton lines={5} />
            </div>
          </Card>
        ) : null
      ) : value.grants.length === 0 ? (
        <Card>
          <Empty title="No app has access yet">
            {profile?.grants === false ? (
              <p>This gateway has no authorization server. Agents use a key.</p>
            ) : (
              <>
                <p>
                  Give an agent the address <code>{baseUrl}/mcp</code>. It asks you for access.
                </p>
                <Link className="button" to="/tools">
                  Add it to an agent
                </Link>
              </>
            )}
          </Empty>
        </Card>
      ) : (
        <Card flush>
          <table className={styles["grants"]}>
            <thead>
              <tr>
                <th scope="col">App</th>
                <th scope="col">Since</th>
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
                <GrantRow key={grant.id} grant={grant} now={now} spentUsd={spentUsd} onRevoked={refresh} />
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row" colSpan={2}>
                  All together
                </th>
                <td className="number">
                  {spentUsd(value.spent_micros_usd)}
                  <div className="soft small">today {spentUsd(value.spent_today_micros_usd)}</div>
                </td>
                <td />
              </tr>
            </tfoot>
          </table>
        </Card>
      )}
    </Page>
  )
}
