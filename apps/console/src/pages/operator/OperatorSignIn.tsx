import { accounts, type AdminError } from "@tollgate/client/admin"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type FormEvent, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Code } from "../../ui/Code.tsx"
import { Field } from "../../ui/Field.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Page } from "../../ui/Page.tsx"
import { duration } from "../../ui/times.ts"
import { operatorClient, signInOperator } from "./operatorSession.ts"
import styles from "./operator.module.css"

type Refusal = { readonly kind: "off" } | { readonly kind: "field" | "notice"; readonly words: string }

const refusalOf = (error: AdminError | undefined): Refusal => {
  if (error === undefined) return { kind: "notice", words: "The gateway did not respond." }
  if (error._tag === "NotFound" && error.code === "route_not_found") return { kind: "off" }
  if (error._tag === "Unauthenticated") return { kind: "field", words: "This is not the admin token of this gateway." }
  if (error._tag === "RateLimited") {
    const wait = duration(error.retryAfter ?? 60_000)
    return { kind: "notice", words: `Too many wrong tokens came from this address. Try again in ${wait}.` }
  }
  return { kind: "notice", words: error.message }
}

/** Asks the gateway whether it takes the token. It does not retry: the answer is shown at once. */
const ask = (token: string): Promise<Exit.Exit<unknown, AdminError>> =>
  Effect.runPromiseExit(Effect.provide(accounts(), operatorClient(token, 0)))

/** The operator's own way in, which has nothing to do with an account's. */
export const OperatorSignIn = () => {
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
    const exit = await ask(sent)
    setBusy(false)
    if (Exit.isSuccess(exit)) signInOperator(sent)
    else setRefusal(refusalOf(exit.cause.reasons.find(Cause.isFailReason)?.error))
  }
  return (
    <Page title="Operator" lead="Accounts, keys, prices, upstreams and the books of this gateway.">
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
              hint="The value of TOLLGATE_ADMIN_TOKEN. This page keeps it in memory only, until you reload."
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
