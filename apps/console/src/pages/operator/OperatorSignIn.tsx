import { type FormEvent, useState } from "react"
import type { NotBegun } from "../../session/cookie.ts"
import { signInOperator } from "../../session/operator.ts"
import { Button, Card, Code, Notice, Page } from "../../ui/kit.tsx"
import { Field } from "../../ui/form.tsx"
import { duration } from "../../ui/times.ts"
import styles from "./operator.module.css"

type Refusal = { readonly kind: "off" } | { readonly kind: "field" | "notice"; readonly words: string }

const refusalOf = ({ message, retryAfter = 60_000, status }: NotBegun): Refusal => {
  if (status === 404) return { kind: "off" }
  if (status === 401) return { kind: "field", words: "This is not the admin token of this gateway." }
  if (status !== 429) return { kind: "notice", words: message }
  return {
    kind: "notice",
    words: `Too many wrong tokens came from this address. Try again in ${duration(retryAfter)}.`
  }
}

/** The operator's own way in, which has nothing to do with an account's. */
export const OperatorSignIn = ({ ended }: { readonly ended: string | undefined }) => {
  const [token, setToken] = useState("")
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<Refusal>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const sent = token.trim()
    if (sent === "") return setRefusal({ kind: "field", words: "Paste the admin token." })
    if (!/^[\x21-\x7e]+$/.test(sent)) {
      return setRefusal({ kind: "field", words: "A token has no spaces and only plain characters." })
    }
    setBusy(true)
    setRefusal(undefined)
    const problem = await signInOperator(sent)
    setBusy(false)
    if (problem !== undefined) setRefusal(refusalOf(problem))
  }
  return (
    <Page title="Operator" lead="Accounts, keys, prices, upstreams and the ledger of this gateway.">
      {ended === undefined || refusal !== undefined ? null : <Notice kind="warn">{ended}</Notice>}
      {refusal?.kind === "off" ? (
        <Notice kind="warn" title="The admin API is off">
          <p>To turn it on, start the gateway with a token of at least 16 characters in its environment.</p>
          <Code title="Shell" code={'TOLLGATE_ADMIN_TOKEN="$(openssl rand -hex 24)" pnpm start'} />
        </Notice>
      ) : null}
      {refusal?.kind === "notice" ? <Notice kind="bad" title={refusal.words} /> : null}
      <div className={styles.signIn}>
        <Card>
          <form onSubmit={(event) => void submit(event)} noValidate>
            <Field
              label="Admin token"
              hint="The value of TOLLGATE_ADMIN_TOKEN. You stay signed in for at most 12 hours. No page keeps the token."
              error={refusal?.kind === "field" ? refusal.words : undefined}
            >
              {(control) => (
                <input
                  {...control}
                  type="password"
                  autoComplete="off"
                  value={token}
                  onChange={({ target }) => setToken(target.value)}
                />
              )}
            </Field>
            <Button kind="main" type="submit" busy={busy} disabled={busy}>
              Sign in
            </Button>
          </form>
        </Card>
      </div>
    </Page>
  )
}
