import { linkStart } from "@tollgate/browser"
import { defaultScopes } from "@tollgate/contract/operations/linkStart"
import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import { useCall } from "@tollgate/react"
import { type FormEvent, useEffect, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Field } from "../../ui/Field.tsx"
import { Approval } from "./Approval.tsx"
import styles from "./links.module.css"

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
