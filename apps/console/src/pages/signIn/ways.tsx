import { type FormEvent, useState } from "react"
import { Icon } from "../../ui/Icon.tsx"
import { withDemo, withKey } from "../../session/signIn.ts"
import { useSessions } from "../../session/SessionProvider.tsx"
import { Button } from "../../ui/kit.tsx"
import { Field } from "../../ui/form.tsx"
import styles from "./signIn.module.css"

/** The key of the first start, with one click. */
export const DemoWay = () => {
  const { begin } = useSessions()
  const [state, setState] = useState<"idle" | "busy" | "failed">("idle")
  const use = async () => {
    setState("busy")
    const session = await withDemo()
    if (session === undefined) setState("failed")
    else begin(session)
  }
  return (
    <div className={styles.demo}>
      <Button kind="main" busy={state === "busy"} disabled={state === "busy"} onClick={() => void use()}>
        Use the demo key <Icon name="arrow" />
      </Button>
      <p className="hint">The sandbox answers its calls. Nothing leaves this machine, and you spend no real money.</p>
      <div aria-live="polite">
        {state === "failed" ? <p className="wrong">The gateway no longer offers it. Paste a key instead.</p> : null}
      </div>
    </div>
  )
}

/** A pasted key, which the gateway is asked about before the page is left. */
export const KeyWay = ({ isMain }: { readonly isMain: boolean }) => {
  const { begin } = useSessions()
  const [key, setKey] = useState("")
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const check = async (typed: string) => {
    setBusy(true)
    setProblem(undefined)
    const found = typed === "" ? "Paste a key. It begins with tg_." : await withKey(typed)
    setBusy(false)
    if (typeof found === "string") setProblem(found)
    else begin(found)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy) void check(key.trim())
  }
  return (
    <form onSubmit={submit} noValidate>
      <Field
        label="API key"
        hint="You stay signed in, in all tabs, until you sign out. No page keeps the key."
        error={problem}
      >
        {(control) => (
          <input
            {...control}
            type="password"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={200}
            placeholder="tg_…"
            value={key}
            onChange={({ target }) => setKey(target.value)}
          />
        )}
      </Field>
      <span className="quiet" role="alert">
        {problem}
      </span>
      <Button {...(isMain ? { kind: "main" } : {})} type="submit" busy={busy}>
        Sign in
      </Button>
    </form>
  )
}

const failed = "The sign-in could not be started. Load this page again."

/** Through the gateway's own pages, where a person sets what the console may spend. */
export const OAuthWay = () => {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const go = async () => {
    setBusy(true)
    setProblem(undefined)
    const found = await import("../../session/oauth.ts").then(
      ({ begin }) => begin(),
      () => failed
    )
    setBusy(false)
    setProblem(found)
  }
  return (
    <div className={styles.oauth}>
      <Button busy={busy} disabled={busy} onClick={() => void go()}>
        Sign in with OAuth
      </Button>
      <p className="hint">You set what this page may spend. It sees the whole account.</p>
      <div aria-live="polite">{problem === undefined ? null : <p className="wrong">{problem}</p>}</div>
    </div>
  )
}
