import { linkStart } from "@tollgate/browser"
import { defaultScopes } from "@tollgate/contract/operations/linkStart"
import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import { useCall } from "@tollgate/react"
import { type FormEvent, useEffect, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Field } from "../../ui/Field.tsx"
import { Approval } from "./Approval.tsx"

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
            Separated by spaces. Empty: <code>{defaultScopes.join(" ")}</code>
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
        {isLinked ? "Link again" : "Link an account"}
      </Button>
    </form>
  )
}
