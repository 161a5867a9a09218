import type { Run } from "../state/Run.ts"
import styles from "./chat.module.css"

export interface MessageProps {
  readonly role: "user" | "model"
  readonly text: string
  /** Of the run that writes it. */
  readonly state?: Run["state"] | undefined
  /** It ended at the most tokens. */
  readonly isCutOff?: boolean
}

/** A message longer than this is cut in view. */
const shownLength = 20_000

export const Message = ({ isCutOff = false, role, state, text }: MessageProps) => (
  <div className={styles["message"]} data-role={role} data-state={state}>
    <span className="quiet">{role === "user" ? "You" : "Model"}: </span>
    {text.slice(0, shownLength)}
    {text.length > shownLength ? "…" : null}
    {state === "running" ? <span className={styles["cursor"]} aria-hidden="true" /> : null}
    {state === "failed" ? <em>{text === "" ? "No answer came." : "The answer was cut here."}</em> : null}
    {isCutOff ? <em>Cut off at max tokens.</em> : null}
    {state === "stopped" ? <em>Stopped here.</em> : null}
  </div>
)
