import { useState } from "react"
import { demoKey } from "../../session/demo.ts"
import { keySession } from "../../session/keySession.ts"
import { useSessions } from "../../session/SessionProvider.tsx"
import { Button } from "../../ui/Button.tsx"
import { Icon } from "../../frame/Icon.tsx"
import styles from "./signIn.module.css"

/** The key of the first start, with one click. */
export const DemoWay = () => {
  const { begin } = useSessions()
  const [state, setState] = useState<"idle" | "busy" | "failed">("idle")
  const use = async () => {
    setState("busy")
    const key = await demoKey()
    if (key === undefined) setState("failed")
    else begin(keySession(key, "demo"))
  }
  return (
    <div className={styles.demo}>
      <Button kind="main" busy={state === "busy"} disabled={state === "busy"} onClick={() => void use()}>
        Use the demo key <Icon name="arrow" />
      </Button>
      <p className="hint">The sandbox answers its calls: nothing leaves this machine, and no real money is spent.</p>
      <div aria-live="polite">
        {state === "failed" ? <p className="wrong">The gateway gives it no longer. Paste a key instead.</p> : null}
      </div>
    </div>
  )
}
