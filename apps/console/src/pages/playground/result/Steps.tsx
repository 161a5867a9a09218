import { useId } from "react"
import { Timeline } from "../../../ui/kit.tsx"
import type { Run } from "../state/Run.ts"
import styles from "./result.module.css"

const waitingFor = ({ eventCount, isBetween }: Run): string => {
  if (isBetween) return "Waiting before a retry"
  return eventCount > 0 ? "The answer is arriving" : "Waiting for the answer"
}

export const Steps = ({ run }: { readonly run: Run | undefined }) => {
  const id = useId()
  const steps = run?.steps ?? []
  return (
    <section className={styles["steps"]} aria-labelledby={id}>
      <h3 id={id}>What the client did</h3>
      <Timeline events={run?.state === "running" ? [...steps, { title: waitingFor(run), kind: "running" }] : steps} />
      {run === undefined ? <p className="soft small">Each request, wait and retry is listed here.</p> : null}
    </section>
  )
}
