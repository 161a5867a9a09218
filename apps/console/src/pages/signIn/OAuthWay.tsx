import { useState } from "react"
import { Button } from "../../ui/Button.tsx"
import styles from "./signIn.module.css"

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
      <p className="hint">You set what this page may spend, it sees the whole account, and a reload keeps it.</p>
      <div aria-live="polite">{problem === undefined ? null : <p className="wrong">{problem}</p>}</div>
    </div>
  )
}
