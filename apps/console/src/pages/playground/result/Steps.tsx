import { Timeline, type TimelineEvent } from "../../../ui/kit.tsx"
import { useId } from "react"
import { usd } from "../../../ui/amounts.ts"
import { duration } from "../../../ui/times.ts"
import type { Run, Step } from "../state/Run.ts"
import styles from "./result.module.css"

type Charge = Extract<Step, { readonly kind: "ended" }>["charge"]

const chargeWords = ({ micros, state }: Charge): string => {
  if (state === "none") return "Nothing was charged"
  if (state === "pending") return "You pay when its task succeeds"
  if (micros === undefined) return "The charge is not known"
  return `Charged ${usd(BigInt(micros))}${state === "estimated" ? ", by estimate" : ""}`
}

const endWords = (
  { charge, result }: Extract<Step, { readonly kind: "ended" }>,
  isStopping: boolean
): TimelineEvent => {
  // The client tells the end of a stream that it left as one whose cost is not known. The gateway settles it.
  if (result === "left" || (isStopping && result === "failed")) return { title: "Stopped", kind: "warn" }
  if (result === "failed") return { title: "Failed", text: chargeWords(charge), kind: "bad" }
  return { title: chargeWords(charge), kind: "good" }
}

const sentWords = (step: Extract<Step, { readonly kind: "sent" }>, before: ReadonlyArray<Step>): TimelineEvent => {
  const cap = step.cap === undefined ? undefined : `cap $${step.cap}`
  const last = before.findLast(({ kind }) => kind === "answered" || kind === "lost")
  const again = last === undefined ? undefined : `after ${duration(step.at - last.at)}`
  const key = step.key === undefined ? undefined : step.sameKey ? "the same idempotency key" : "an idempotency key"
  const detail = [again, key, cap].filter((part) => part !== undefined).join(", ")
  return {
    title: step.number === 1 ? `Sent ${step.method} ${step.path}` : "Retried",
    text: detail === "" ? undefined : `${step.number === 1 ? "with " : ""}${detail}`
  }
}

/** A step in words. */
const wordsOf = (step: Step, before: ReadonlyArray<Step>, isStopping: boolean): TimelineEvent => {
  switch (step.kind) {
    case "quoted":
      return {
        title: "Quote",
        text: `at most ${usd(BigInt(step.max))}, about ${usd(BigInt(step.estimate))}`
      }
    case "resumed":
      return {
        title: "FilterQuery for the outcome",
        text: "with the first call's key, so you never pay twice"
      }
    case "sent":
      return sentWords(step, before)
    case "answered": {
      const ok = step.status < 400
      return {
        title: `Answered ${step.status}`,
        text: step.replayed
          ? "the stored answer of the first call"
          : step.retryAfter === undefined
            ? undefined
            : `asks to wait ${duration(step.retryAfter)}`,
        kind: ok ? "good" : step.status === 429 || step.status >= 500 ? "warn" : "bad"
      }
    }
    case "lost":
      return { title: "No answer", text: `${step.tag}, ${step.outcome}`, kind: "warn" }
    case "first":
      return { title: "First token" }
    case "ended":
      return endWords(step, isStopping)
  }
}

/** After an attempt that failed, and before the next. */
const isBetween = (last: Step | undefined): boolean =>
  last?.kind === "lost" || (last?.kind === "answered" && last.status >= 400)

const waitingFor = ({ eventCount, steps }: Run): string => {
  if (isBetween(steps.at(-1))) return "Waiting before a retry"
  return eventCount > 0 ? "The answer is arriving" : "Waiting for the answer"
}

/** What the client did, as it does it. */
export const Steps = ({ isFree, run }: { readonly run: Run | undefined; readonly isFree: boolean }) => {
  const id = useId()
  const steps = run?.steps ?? []
  const events = steps.map((each, at): TimelineEvent => {
    const step: Step = isFree && each.kind === "ended" ? { ...each, charge: { state: "none" } } : each
    return { ...wordsOf(step, steps.slice(0, at), run?.isStopping === true), after: duration(step.at) }
  })
  return (
    <section className={styles["steps"]} aria-labelledby={id}>
      <h3 id={id}>What the client did</h3>
      <Timeline events={run?.state === "running" ? [...events, { title: waitingFor(run), kind: "running" }] : events} />
      {run === undefined ? <p className="soft small">Each request, wait and retry is listed here.</p> : null}
    </section>
  )
}
