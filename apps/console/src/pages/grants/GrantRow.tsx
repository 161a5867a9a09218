import type { GivenGrant } from "@tollgate/contract/account/Access"
import { revokeGrant } from "@tollgate/client/account"
import { useCall } from "@tollgate/react"
import { useEffect, useState } from "react"
import { usd } from "../../ui/amounts.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { ago, dayName, fullTime } from "../../ui/times.ts"

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

const spentOf = ({ limit_micros_usd: limit, spent_micros_usd: spent }: GivenGrant): string =>
  limit === null ? usd(spent) : `${usd(spent)} of ${usd(limit)}`

const lastUse = ({ last_used_at: at }: GivenGrant): string =>
  at === null ? "no billed call yet" : `last billed call on ${dayName(new Date(at).getTime() / 1000)}`

/** One program that was let in, and how to take that back. */
export const GrantRow = ({ grant, now, onRevoked }: GrantRowProps) => {
  const [asks, setAsks] = useState(false)
  const { call, error, state } = useCall(revokeGrant)
  useEffect(() => {
    if (state !== "done") return
    setAsks(false)
    onRevoked()
  }, [state, onRevoked])
  return (
    <tr>
      <td>
        <strong>{grant.client_name}</strong> {grant.own ? <Tag kind="accent">this page</Tag> : null}
        <div className="soft small">{grant.scopes.map((scope) => scopeWords[scope] ?? scope).join(", ")}</div>
      </td>
      <td>
        <time dateTime={grant.created_at} title={fullTime(grant.created_at)}>
          {ago(grant.created_at, now)}
        </time>
        <div className="soft small">{lastUse(grant)}</div>
      </td>
      <td className="number">{spentOf(grant)}</td>
      <td className="number">
        {grant.ended ? (
          <Tag>ended</Tag>
        ) : (
          <Button kind="danger" onClick={() => setAsks(true)}>
            Take back
          </Button>
        )}
        <Dialog title={`Take access back from ${grant.client_name}?`} open={asks} onClose={() => setAsks(false)}>
          <p>It stops at once. What it has spent stays charged. To let it in again, it has to ask again.</p>
          {error === undefined ? null : <ErrorNotice error={error} />}
          <div className="row">
            <Button onClick={() => setAsks(false)}>Keep it</Button>
            <Button kind="danger" busy={state === "pending"} onClick={() => call(grant.id)}>
              Take back
            </Button>
          </div>
        </Dialog>
      </td>
    </tr>
  )
}
