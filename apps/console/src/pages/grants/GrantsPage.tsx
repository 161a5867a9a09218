import { Link } from "@tanstack/react-router"
import { grants } from "@tollgate/client/account"
import type { GivenGrant, GivenGrants } from "@tollgate/contract/account/Access"
import { useLoad } from "@tollgate/react"
import { baseUrl } from "../../session/gateway.ts"
import { useProfile } from "../../session/useProfile.ts"
import { usd } from "../../ui/amounts.ts"
import { Card, Empty, Loaded, Page, Skeleton, Tag } from "../../ui/kit.tsx"
import { Bar } from "../../ui/Meter.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { ago, dateOnly, dayName, fullTime, useNow } from "../../ui/times.ts"
import { ApprovalsCard } from "./ApprovalsCard.tsx"
import { EditGrant, RevokeGrant } from "./EditGrant.tsx"
import styles from "./grants.module.css"

const scopeWords: Readonly<Record<string, string>> = {
  use: "call operations",
  usage: "read usage",
  grants: "manage grants",
  openid: "know the account"
}

const Spent = ({ grant, text }: { readonly grant: GivenGrant; readonly text: string }) => {
  const { day_limit_micros_usd: dayLimit, limit_micros_usd: limit, spent_micros_usd: spent } = grant
  return (
    <div>
      {text}
      <div className="soft small">{limit === null ? "no budget" : `of ${usd(limit)}`}</div>
      {limit === null ? null : (
        <Bar label={`Spent by ${grant.client_name}`} used={Number(spent)} limit={Number(limit)} words={text} />
      )}
      <div className="soft small">
        today {usd(grant.spent_today_micros_usd)}
        {dayLimit === null ? "" : ` of ${usd(dayLimit)}`}
      </div>
    </div>
  )
}

const columnsOf = (now: number, onChanged: () => void): ReadonlyArray<Column<GivenGrant>> => [
  {
    head: "App",
    kind: "name",
    cell: (grant) => (
      <>
        <span className="wrap">
          {grant.client_name} {grant.own ? <Tag kind="accent">this page</Tag> : null}
          {grant.machine ? <Tag>service account</Tag> : null}
        </span>
        {[
          grant.scopes.map((scope) => scopeWords[scope] ?? scope).join(", "),
          grant.allowed === null ? "" : `only ${[...grant.allowed.categories, ...grant.allowed.operations].join(", ")}`,
          grant.ask_above_micros_usd === null
            ? ""
            : `calls above ${usd(grant.ask_above_micros_usd)} need your approval`,
          grant.client_id.startsWith("https://") ? `published by ${URL.parse(grant.client_id)?.host}` : "",
          grant.returns_to === null ? "" : `returns to ${grant.returns_to}`
        ].map((line) =>
          line === "" ? null : (
            <span key={line} className="soft small wrap">
              {line}
            </span>
          )
        )}
      </>
    )
  },
  {
    head: "Since",
    cell: ({ created_at, ended, ends_at, last_used_at: last }) => (
      <div>
        <time dateTime={created_at} title={fullTime(created_at)}>
          {ago(created_at, now)}
        </time>
        <div className="soft small">
          {last === null ? "no billed call yet" : `last billed call on ${dayName(new Date(last).getTime() / 1000)}`}
        </div>
        {ended ? null : <div className="soft small">until {dateOnly(ends_at)}</div>}
      </div>
    )
  },
  {
    head: "Spent",
    usd: (grant) => grant.spent_micros_usd,
    cell: (grant, text) => <Spent grant={grant} text={text} />
  },
  {
    head: "Actions",
    kind: "actions",
    cell: (grant) =>
      grant.ended ? (
        <Tag>ended</Tag>
      ) : (
        <>
          {grant.own || !grant.scopes.includes("use") ? null : <EditGrant grant={grant} onChanged={onChanged} />}
          <RevokeGrant grant={grant} onChanged={onChanged} />
        </>
      )
  }
]

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
        columns={columnsOf(now, onChanged)}
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

/** The agents and pages that may spend for the account. */
export const GrantsPage = () => {
  const loaded = useLoad(load, { every: "10 seconds" })
  const now = useNow(10_000)
  const { error } = loaded
  return (
    <Page title="Apps" lead="Apps with access, what they spent, and how to revoke access.">
      {error !== undefined && "status" in error && error.status === 403 ? (
        // Another credential helps, and another attempt does not.
        <Empty inCard title="This credential cannot see apps">
          <p>{error.message}</p>
        </Empty>
      ) : (
        <>
          <ApprovalsCard now={now} />
          <Loaded
            of={loaded}
            stale="The list below may be out of date."
            loading={
              <Card>
                <Skeleton lines={5} />
              </Card>
            }
          >
            {(found) => <Grants found={found} now={now} onChanged={loaded.refresh} />}
          </Loaded>
        </>
      )}
    </Page>
  )
}
