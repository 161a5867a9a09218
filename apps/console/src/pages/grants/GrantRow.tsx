import type { GivenGrant } from "@tollgate/contract/account/Access"
import { microsOf, usd } from "../../ui/amounts.ts"
import { Meter } from "../../ui/Meter.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { ago, dayName, fullTime } from "../../ui/times.ts"
import styles from "./grants.module.css"
import { TakeBack } from "./TakeBack.tsx"

export interface GrantRowProps {
  readonly grant: GivenGrant
  readonly now: number
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

const Spent = ({ grant }: { readonly grant: GivenGrant }) => {
  const { limit_micros_usd: limit, spent_micros_usd: spent } = grant
  if (limit === null)
    return (
      <>
        {usd(spent)}
        <div className="soft small">no limit</div>
      </>
    )
  const most = microsOf(limit)
  // Thousandths are enough for a bar.
  const ratio = most === 0n ? 1 : Number((microsOf(spent) * 1_000n) / most) / 1_000
  return (
    <>
      {usd(spent)}
      <div className="soft small">of {usd(limit)}</div>
      <Meter label={`Spent by ${grant.client_name}`} ratio={ratio} tone={ratio >= 1 ? "bad" : "accent"} />
    </>
  )
}

/** One program that was let in, and how to take that back. */
export const GrantRow = ({ grant, now, onRevoked }: GrantRowProps) => (
  <tr className={grant.ended ? styles["ended"] : undefined}>
    <th scope="row">
      <span className={styles["name"]}>{grant.client_name}</span>{" "}
      {grant.own ? <Tag kind="accent">this page</Tag> : null}
      <div className="soft small">{grant.scopes.map((scope) => scopeWords[scope] ?? scope).join(", ")}</div>
    </th>
    <td>
      <time dateTime={grant.created_at} title={fullTime(grant.created_at)}>
        {ago(grant.created_at, now)}
      </time>
      <div className="soft small">{lastUse(grant)}</div>
    </td>
    <td className="number">
      <Spent grant={grant} />
    </td>
    <td className="number">{grant.ended ? <Tag>ended</Tag> : <TakeBack grant={grant} onRevoked={onRevoked} />}</td>
  </tr>
)
