import { linkStart } from "@tollgate/browser"
import { defaultScopes } from "@tollgate/contract/operations/linkStart"
import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import { useCall } from "@tollgate/react"
import { type FormEvent, useEffect, useState } from "react"
import { Button, ErrorNotice, Notice } from "../../ui/kit.tsx"
import { duration, useNow } from "../../ui/times.ts"
import styles from "./links.module.css"

interface ApprovalProps {
  /** The platform's page. */
  readonly address: string
  readonly expiresAt: string | undefined
  /** Asks for another address. */
  readonly onAgain: () => void
}

/** A link that was started and waits for the person. */
const Approval = ({ address, expiresAt, onAgain }: ApprovalProps) => {
  const now = useNow(1_000)
  const left = expiresAt === undefined ? undefined : new Date(expiresAt).getTime() - now
  if (left !== undefined && left <= 0)
    return (
      <Notice kind="warn" title="Nobody approved it in time">
        <p>The time to approve is over. Nothing was linked.</p>
        <Button onClick={onAgain}>Start over</Button>
      </Notice>
    )
  return (
    <Notice title="Approve it on the platform’s page">
      <p>
        It opens in another tab. This page notices when you are done. If you deny it, nothing changes here.
        {left === undefined ? null : (
          <span className="soft" aria-hidden="true">
            {` You have ${duration(left)}.`}
          </span>
        )}
      </p>
      <a className="button main" href={address} target="_blank" rel="noreferrer">
        Open the platform’s page
      </a>{" "}
      <Button kind="quiet" onClick={onAgain}>
        Start over
      </Button>
    </Notice>
  )
}

const defaults: ReadonlySet<string> = new Set(defaultScopes)

const words: Readonly<Record<string, string>> = {
  "follows.write": "Follow and unfollow",
  "tweet.read": "Read posts",
  "users.read": "Read profiles",
  "tweet.write": "Write posts",
  "like.write": "Like posts",
  "dm.read": "Read messages",
  "dm.write": "Send messages"
}

const isWeb = (address: string): boolean => /^https?:\/\//i.test(address)

interface LinkFormProps {
  readonly isLinked: boolean
  /** The scopes to choose from. */
  readonly offered: ReadonlyArray<string>
}

/** Starts a link. The platform's page opens beside this one. */
export const LinkForm = ({ isLinked, offered }: LinkFormProps) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(defaults)
  const { call, error, state, value } = useCall(linkStart)
  // The last address stays in view until there is another.
  const [started, setStarted] = useState<LinkSession>()
  useEffect(() => {
    if (value !== undefined) setStarted(value)
  }, [value])
  const choose = (scope: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(scope)
    else next.delete(scope)
    setChosen(next)
  }
  const start = () => {
    call({ scopes: offered.filter((scope) => chosen.has(scope)) })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start()
  }
  if (error === undefined && started !== undefined && isWeb(started.auth_url))
    return <Approval address={started.auth_url} expiresAt={started.expires_at} onAgain={start} />
  return (
    <form onSubmit={submit}>
      <fieldset className={styles["choice"]}>
        <legend>What calls may do for you</legend>
        {offered.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={chosen.has(scope)}
              onChange={({ target }) => choose(scope, target.checked)}
            />
            {words[scope] ?? "Another scope of the platform"}
            <code>{scope}</code>
          </label>
        ))}
      </fieldset>
      {error === undefined ? null : <ErrorNotice error={error} />}
      <Button
        kind={isLinked ? "quiet" : "main"}
        type="submit"
        busy={state === "pending"}
        disabled={!offered.some((scope) => chosen.has(scope))}
      >
        {isLinked ? "Link again" : "Link"}
      </Button>
    </form>
  )
}
