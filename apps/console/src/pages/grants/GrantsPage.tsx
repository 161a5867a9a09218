import { Link } from "@tanstack/react-router"
import { changeGrant, grants, revokeGrant } from "@tollgate/client/account"
import type { GivenGrants } from "@tollgate/contract/account/Access"
import { useLoad } from "@tollgate/react/effect"
import { baseUrl } from "../../session/gateway.ts"
import { useProfile } from "../../session/useProfile.ts"
import { usd } from "../../ui/amounts.ts"
import { Card, Empty } from "../../ui/kit.tsx"
import { Table } from "../../ui/Table.tsx"
import { useNow } from "../../ui/times.ts"
import { AccessPage } from "./access.tsx"
import { ApprovalsCard } from "./ApprovalsCard.tsx"
import { grantColumns, type GrantSide, ownCategories } from "./EditGrant.tsx"
import styles from "./grants.module.css"

interface GrantsProps {
  readonly found: GivenGrants
  readonly now: number
  readonly onChanged: () => void
}

const Grants = ({ found, now, onChanged }: GrantsProps) => {
  const { value: profile } = useProfile()
  return (
    <Card flush={found.grants.length > 0}>
      <Table
        label="Grants"
        columns={grantColumns(now, side, onChanged)}
        rows={found.grants}
        keyOf={({ id }) => id}
        rowProps={({ ended }) => (ended ? { className: styles["ended"] } : {})}
        empty={
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
        }
        foot={
          <tfoot>
            <tr>
              <th scope="row" colSpan={2}>
                All together
              </th>
              <td data-label="Spent" className="number">
                <div>
                  {usd(found.spent_micros_usd)}
                  <div className="soft small">today {usd(found.spent_today_micros_usd)}</div>
                </div>
              </td>
              <td />
            </tr>
          </tfoot>
        }
      />
    </Card>
  )
}

const load = grants()
const side: GrantSide = { categories: ownCategories, change: changeGrant, revoke: revokeGrant }

/** The agents and pages that may spend for the account. */
export const GrantsPage = () => {
  const loaded = useLoad(load, { every: "10 seconds" })
  const now = useNow(10_000)
  return (
    <AccessPage
      title="Apps"
      lead="Apps with access, what they spent, and how to revoke access."
      of={loaded}
      above={<ApprovalsCard now={now} />}
    >
      {(found) => <Grants found={found} now={now} onChanged={loaded.refresh} />}
    </AccessPage>
  )
}
