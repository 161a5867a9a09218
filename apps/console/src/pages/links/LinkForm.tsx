import { linkStart } from "@tollgate/browser"
import { useCall } from "@tollgate/react"
import { type FormEvent, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Field } from "../../ui/Field.tsx"
import { fullTime } from "../../ui/times.ts"

const isWeb = (address: string): boolean => /^https?:\/\//i.test(address)

/** Starts a link. The platform's page opens beside this one. */
export const LinkForm = ({ isLinked }: { readonly isLinked: boolean }) => {
  const [scopes, setScopes] = useState("")
  const { call, error, state, value } = useCall(linkStart)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const named = scopes.split(/[\s,]+/).filter((scope) => scope !== "")
    call(named.length === 0 ? {} : { scopes: named })
  }
  return (
    <form onSubmit={submit}>
      <h3>{isLinked ? "Link another account, or with other scopes" : "Link an account"}</h3>
      <Field label="Scopes" hint="Separated by spaces. Empty: the default ones.">
        {(control) => (
          <input {...control} value={scopes} onChange={({ target }) => setScopes(target.value)} spellCheck={false} />
        )}
      </Field>
      {error === undefined ? null : <ErrorNotice error={error} />}
      {value === undefined || !isWeb(value.auth_url) ? (
        <Button kind="main" type="submit" busy={state === "pending"}>
          Start
        </Button>
      ) : (
        <p role="status">
          <a className="button main" href={value.auth_url} target="_blank" rel="noreferrer">
            Approve on the platform’s page
          </a>{" "}
          <span className="soft small">
            {value.expires_at === undefined ? "" : `It works until ${fullTime(value.expires_at)}. `}This page notices
            when it is done.
          </span>
        </p>
      )}
    </form>
  )
}
