import { revokeGrant } from "@tollgate/client/account"
import type { GivenGrant } from "@tollgate/contract/account/Access"
import { useCall } from "@tollgate/react"
import { useEffect, useState } from "react"
import { microsOf, usd, type usdColumn } from "../../ui/amounts.ts"
import { Button, ErrorNotice, Tag } from "../../ui/kit.tsx"
import { Dialog } from "../../ui/form.tsx"
import { Meter } from "../../ui/Meter.tsx"
import { ago, dateOnly, dayName, fullTime } from "../../ui/times.ts"
import { EditGrant } from "./EditGrant.tsx"
import styles from "./grants.module.css"

interface RevokeGrantProps {
  readonly grant: GivenGrant
  readonly onRevoked: () => void
}

/** Ends a grant, after a question. */
const RevokeGrant = ({ grant, onRevoked }: RevokeGrantProps) => {
  const [asks, setAsks] = useState(false)
  const { call, error, state } = useCall(revokeGrant)
  useEffect(() => {
    if (state !== "done") return
    setAsks(false)
    onRevoked()
  }, [state, onRevoked])
  return (
    <>
      <Button kind="danger" onClick={() => setAsks(true)} aria-label={`Revoke the grant of ${grant.client_name}`}>
        Revoke
      </Button>
      <Dialog title={`Revoke the grant of ${grant.client_name}?`} open={asks} onClose={() => setAsks(false)}>
        <p>
          Its access ends at once. What it spent stays charged.{" "}
          {grant.machine ? "Only the operator can make another client." : "To return, it must ask you again."}
          {grant.own ? " This page uses it, so you will be signed out." : ""}
        </p>
        {error === undefined ? null : <ErrorNotice error={error} />}
        <div className="row">
          <Button onClick={() => setAsks(false)}>Cancel</Button>
          <Button kind="danger" busy={state === "pending"} onClick={() => call(grant.id)}>
            Revoke
          </Button>
        </div>
      </Dialog>
    </>
  )
}

export interface GrantRowProps {
  readonly grant: GivenGrant
  readonly now: number
  /** How the column writes what was spent. */
  readonly spentUsd: ReturnType<typeof usdColumn>
  readonly onRevoked: () => void
}

const scopeWords: Readonly<Record<string, string>> = {
  use: "call operations",
  usage: "read usage",
  grants: "manage grants",
  openid: "know the account"
}

const lastUse = ({ last_used_at: at }: GivenGrant): string =>
  at === null ? "no billed call yet" : `last billed call on ${dayName(new Date(at).getTime() / 1000)}`

const Spent = ({ grant, spentUsd }: Pick<GrantRowProps, "grant" | "spentUsd">) => {
  const { limit_micros_usd: limit, spent_micros_usd: spent } = grant
  if (limit === null)
    return (
      <>
        {spentUsd(spent)}
        <div className="soft small">no limit</div>
      </>
    )
  const most = microsOf(limit)
  // Thousandths are enough for a bar.
  const ratio = most === 0n ? 1 : Number((microsOf(spent) * 1_000n) / most) / 1_000
  return (
    <>
      {spentUsd(spent)}
      <div className="soft small">of {usd(limit)}</div>
      {microsOf(spent) === 0n && most > 0n ? null : (
        <Meter label={`Spent by ${grant.client_name}`} ratio={ratio} tone={ratio >= 1 ? "bad" : "accent"} />
      )}
    </>
  )
}

/** One app with access, and how to revoke that. */
export const GrantRow = ({ grant, now, onRevoked, spentUsd }: GrantRowProps) => (
  <tr className={grant.ended ? styles["ended"] : undefined}>
    <th scope="row">
      <span className={styles["name"]}>{grant.client_name}</span>{" "}
      {grant.own ? <Tag kind="accent">this page</Tag> : null}
      {grant.machine ? <Tag>machine</Tag> : null}
      <div className="soft small">{grant.scopes.map((scope) => scopeWords[scope] ?? scope).join(", ")}</div>
      {grant.allowed === null ? null : (
        <div className="soft small">only {[...grant.allowed.categories, ...grant.allowed.operations].join(", ")}</div>
      )}
      {grant.returns_to === null ? null : <div className="soft small">returns to {grant.returns_to}</div>}
    </th>
    <td>
      <time dateTime={grant.created_at} title={fullTime(grant.created_at)}>
        {ago(grant.created_at, now)}
      </time>
      <div className="soft small">{lastUse(grant)}</div>
      {grant.ended ? null : <div className="soft small">until {dateOnly(grant.ends_at)}</div>}
    </td>
    <td className="number">
      <Spent grant={grant} spentUsd={spentUsd} />
      <div className="soft small">
        today {spentUsd(grant.spent_today_micros_usd)}
        {grant.day_limit_micros_usd === null ? "" : ` of ${usd(grant.day_limit_micros_usd)}`}
      </div>
    </td>
    <td className="number">
      {grant.ended ? (
        <Tag>ended</Tag>
      ) : (
        <div className={styles["actions"]}>
          {grant.own || !grant.scopes.includes("use") ? null : <EditGrant grant={grant} onChanged={onRevoked} />}
          <RevokeGrant grant={grant} onRevoked={onRevoked} />
        </div>
      )}
    </td>
  </tr>
)
