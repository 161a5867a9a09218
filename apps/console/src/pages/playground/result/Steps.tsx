import { useId } from "react"
import { duration } from "../../../ui/times.ts"
import type { Run, Step } from "../state/Run.ts"
import styles from "./result.module.css"
import { wordsOf } from "./stepWords.ts"

/** After an attempt that failed, and before the next. */
const isBetween = (last: Step | undefined): boolean =>
  last?.kind === "lost" || (last?.kind === "answered" && last.status >= 400)

const waitingFor = ({ eventCount, steps }: Run): string => {
  if (isBetween(steps.at(-1))) return "Waits before it sends it again"
  return eventCount > 0 ? "The answer comes in" : "Waiting for the answer"
}

/** What the client did, as it does it. */
export const Steps = ({ run }: { readonly run: Run | undefined }) => {
  const id = useId()
  const steps = run?.steps ?? []
  return (
    <section className={styles["steps"]} aria-labelledby={id}>
      <h3 id={id}>What the client did</h3>
      <ol aria-live="polite">
        {steps.map((step, at) => {
          const { detail, kind, title } = wordsOf(step, steps.slice(0, at))
          return (
            <li key={at} data-kind={kind}>
              <span>
                {title}
                {detail === undefined ? null : <small>{detail}</small>}
              </span>
              <time>{duration(step.at)}</time>
            </li>
          )
        })}
        {run?.state === "running" ? (
          <li data-kind="running">
            <span>{waitingFor(run)}</span>
          </li>
        ) : null}
      </ol>
      {run === undefined ? <p className="soft small">Each request, wait and retry is listed here.</p> : null}
    </section>
  )
}
