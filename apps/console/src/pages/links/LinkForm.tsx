import { linkStart } from "@tollgate/browser"
import { defaultScopes } from "@tollgate/contract/operations/linkStart"
import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import { useCall } from "@tollgate/react"
import { type FormEvent, useEffect, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"
import { ErrorNotice, Notice } from "../../ui/Notice.tsx"
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
        <p>The link to the platform’s page has expired. Nothing was linked.</p>
        <Button onClick={onAgain}>Get a new link</Button>
      </Notice>
    )
  return (
    <Notice title="Approve it on the platform’s page">
      <p>
        It opens in another tab. This page notices when you are done. If you decline, nothing changes here.
        {left === undefined ? null : (
          <span className="soft" aria-hidden="true">
            {` The link works for ${duration(left)}.`}
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

const isWeb = (address: string): boolean => /^https?:\/\//i.test(address)

/** Starts a link. The platform's page opens beside this one. */
export const LinkForm = ({ isLinked }: { readonly isLinked: boolean }) => {
  const [scopes, setScopes] = useState("")
  const { call, error, state, value } = useCall(linkStart)
  // The last address stays in view until there is another.
  const [started, setStarted] = useState<LinkSession>()
  useEffect(() => {
    if (value !== undefined) setStarted(value)
  }, [value])
  const start = () => {
    const named = scopes.split(/[\s,]+/).filter((scope) => scope !== "")
    call(named.length === 0 ? {} : { scopes: named })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start()
  }
  if (error === undefined && started !== undefined && isWeb(started.auth_url))
    return <Approval address={started.auth_url} expiresAt={started.expires_at} onAgain={start} />
  return (
    <form onSubmit={submit}>
      <Field
        label="Scopes"
        hint={
          <>
            Separated by spaces. If empty:
            <span className={styles["scopes"]}>
              {defaultScopes.map((scope) => (
                <code key={scope}>{scope}</code>
              ))}
            </span>
          </>
        }
      >
        {(control) => (
          <input
            {...control}
            value={scopes}
            maxLength={1_000}
            onChange={({ target }) => setScopes(target.value)}
            spellCheck={false}
            autoCapitalize="none"
            autoComplete="off"
          />
        )}
      </Field>
      {error === undefined ? null : <ErrorNotice error={error} />}
      <Button kind={isLinked ? "quiet" : "main"} type="submit" busy={state === "pending"}>
        {isLinked ? "Link again" : "Link"}
      </Button>
    </form>
  )
}
