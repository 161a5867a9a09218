import type { CallStory, LoggedCall } from "@tollgate/contract/account/LoggedCall"
import { costWords, stateWords } from "@tollgate/contract/callWords"
import { microsOf, usd } from "../../ui/amounts.ts"
import type { TimelineEvent } from "../../ui/kit.tsx"
import { duration } from "../../ui/times.ts"

/** How the charge was found. */
export const costMeaning = ({ cost_state, kept }: Pick<LoggedCall, "cost_state" | "kept">): string | undefined => {
  if (cost_state === null) return undefined
  return kept ? "You pay a share of what the cached answer cost at first." : costWords[cost_state].meaning
}

/** A refused call may have a path that is of no operation. */
export const operationName = ({ operation }: Pick<LoggedCall, "operation">): string => operation || "Unknown path"

export const hasEnded = ({ state }: Pick<LoggedCall, "state">): boolean => state !== "open" && state !== "running"

export type TagKind = "good" | "warn" | "bad" | "accent" | undefined

type Ended = Pick<LoggedCall, "state" | "failed" | "error">

export const hasFailed = ({ error, failed, state }: Ended): boolean =>
  failed || error !== null || state === "refused" || state === "unknown"

export const tagKind = ({ error, failed, state }: Ended): TagKind => {
  if (!hasEnded({ state })) return "accent"
  if (state === "unknown") return "warn"
  if (hasFailed({ error, failed, state })) return "bad"
  return state === "settled" ? "good" : undefined
}

const reserved = ({ cap_micros_usd, reserved_micros_usd, state }: CallStory): ReadonlyArray<TimelineEvent> => {
  if (state === "replayed" || (state === "refused" && microsOf(reserved_micros_usd) === 0n)) return []
  const cap = cap_micros_usd === null ? "" : ` The caller agreed to pay at most ${usd(cap_micros_usd)}.`
  return [{ title: `${usd(reserved_micros_usd)} reserved`, text: `The most that the call was expected to cost.${cap}` }]
}

/** Of an attempt that ended before anything was sent. */
const notSent = /^(?:busy|not .*|paused|quota reached|unknown protocol)$/

const tried = ({ tried }: CallStory): ReadonlyArray<TimelineEvent> =>
  tried.map(({ model, outcome, upstream }) => {
    const to = model === undefined ? upstream : `${upstream} as ${model}`
    if (outcome === "answered") return { title: `Sent to ${to}`, text: "It answered." }
    return notSent.test(outcome)
      ? { title: `Not sent to ${to}`, text: `The upstream was passed over: ${outcome}.`, kind: "warn" }
      : { title: `Sent to ${to}`, text: `It did not answer: ${outcome}.`, kind: "warn" }
  })

const reused = ({ kept }: CallStory): ReadonlyArray<TimelineEvent> =>
  kept ? [{ title: "A cached answer was found", text: "Nothing was sent to an upstream." }] : []

const answered = (call: CallStory): ReadonlyArray<TimelineEvent> => {
  const { created_at, ended_at, failed, status, task } = call
  const took = ended_at === null ? "" : `After ${duration(Math.max(0, Date.parse(ended_at) - Date.parse(created_at)))}.`
  const begun: ReadonlyArray<TimelineEvent> =
    task === null ? [] : [{ title: "Task started", text: `${task.id}, ${task.status}.` }]
  if (status === null) return begun
  return [...begun, { title: `Answered with ${status}`, text: took, kind: failed ? "bad" : undefined }]
}

const charge = ({ charged_micros_usd, cost_state, loss_micros_usd, refunded_micros_usd }: CallStory): string => {
  const refunded = microsOf(refunded_micros_usd) > 0n ? `, ${usd(refunded_micros_usd)} refunded` : ""
  const estimated = `${cost_state === "estimated" ? ", an estimate" : ""}${refunded}`
  const loss = microsOf(loss_micros_usd) > 0n ? ` ${usd(loss_micros_usd)} beyond the cap is borne by the operator.` : ""
  return `${usd(charged_micros_usd)} charged${estimated}.${loss}`
}

const ending = (call: CallStory): TimelineEvent => {
  const { label, meaning } = stateWords[call.state]
  if (!hasEnded(call)) return { title: label, text: meaning, kind: "accent" }
  return {
    title: label,
    text: call.state === "settled" ? charge(call) : meaning,
    at: call.ended_at ?? undefined,
    kind: tagKind(call)
  }
}

const refunded = ({ refund, refunded_micros_usd }: CallStory): ReadonlyArray<TimelineEvent> =>
  refund === null ? [] : [{ title: `${usd(refunded_micros_usd)} refunded`, text: refund.note, at: refund.at }]

export const storyOf = (call: CallStory): ReadonlyArray<TimelineEvent> => [
  { title: "Received", at: call.created_at },
  ...reserved(call),
  ...tried(call),
  ...reused(call),
  ...answered(call),
  ending(call),
  ...refunded(call)
]
