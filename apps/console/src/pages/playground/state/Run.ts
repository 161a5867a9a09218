import type { CallOptions, CallResponse, HookRequest, HookResponse } from "@tollgate/client"
import type { Ended, Failed } from "@tollgate/client/observe"
import * as Headers from "@tollgate/contract/Headers"
import { isReplayed } from "@tollgate/contract/errors/decode"
import type { Names } from "@tollgate/contract/Names"
import type { Charge } from "@tollgate/contract/Outcome"
import * as RateLimits from "@tollgate/contract/RateLimits"
import * as RetryAfter from "@tollgate/contract/RetryAfter"
import { usd } from "../../../ui/amounts.ts"
import type { TimelineEvent } from "../../../ui/kit.tsx"
import { duration } from "../../../ui/times.ts"
import type { Arguments } from "../json.ts"

export interface Run {
  /** Counts runs of this page. */
  readonly id: number
  readonly arguments: Arguments
  readonly options: CallOptions
  readonly streams: boolean
  readonly state: "running" | "done" | "failed" | "stopped"
  /** What the client did and saw. */
  readonly steps: ReadonlyArray<TimelineEvent>
  readonly sends: number
  /** The last attempt failed, and the next has not begun. */
  readonly isBetween: boolean
  /** The text of a model, so far. */
  readonly text: string
  /** The events of a stream, the first of them. */
  readonly events: ReadonlyArray<object>
  readonly eventCount: number
  /** The model stopped at the most tokens that it may write. */
  readonly isCutOff: boolean
  /** Somebody has asked to stop it. */
  readonly isStopping: boolean
  readonly value: unknown
  readonly error: unknown
  /** Of the last answer, as far as it is known. */
  readonly response: Partial<Omit<CallResponse<unknown>, "value">>
  readonly idempotencyKey: string | undefined
  readonly firstMillis: number | undefined
  readonly totalMillis: number | undefined
}

export const newRun = (begun: Pick<Run, "arguments" | "id" | "idempotencyKey" | "options" | "streams">): Run => ({
  ...begun,
  state: "running",
  steps: [],
  sends: 0,
  isBetween: false,
  text: "",
  events: [],
  eventCount: 0,
  isCutOff: false,
  isStopping: false,
  value: undefined,
  error: undefined,
  response: {},
  firstMillis: undefined,
  totalMillis: undefined
})

/** A call that somebody stopped may have run. Under its key the gateway gives the answer that it stored. */
export const canAskFor = ({ idempotencyKey, state, streams }: Run): boolean =>
  state === "stopped" && !streams && idempotencyKey !== undefined

/** Gets what the client does during one run, as it does it. */
export interface RunLog {
  readonly sent: (request: HookRequest) => void
  readonly answered: (response: HookResponse) => void
  readonly attempted: (failed: Failed | undefined) => void
  readonly ended: (ended: Ended) => void
}

const chargeWords = ({ micros, state }: Charge): string => {
  if (state === "none") return "Nothing was charged"
  if (state === "pending") return "You pay when its task succeeds"
  if (micros === undefined) return "The charge is not known"
  return `Charged ${usd(BigInt(micros))}${state === "estimated" ? ", by estimate" : ""}`
}

const endWords = (result: Ended["result"], charge: Charge, isStopping: boolean): TimelineEvent => {
  // The client tells the end of a stream that it left as one whose cost is not known. The gateway settles it.
  if (result === "left" || (isStopping && result === "failed")) return { title: "Stopped", kind: "warn" }
  if (result === "failed") return { title: "Failed", text: chargeWords(charge), kind: "bad" }
  return { title: chargeWords(charge), kind: "good" }
}

interface LogOptions {
  readonly names: Names
  readonly isFree: boolean
  readonly since: number
  readonly update: (change: (run: Run) => Run) => void
}

/** Writes what the client does into the run. */
export const runLog = ({ isFree, names, since, update }: LogOptions) => {
  let isAnswered = false
  let lastAt = since
  const add = (of: TimelineEvent | ((run: Run) => TimelineEvent), more: Partial<Run> = {}): void => {
    const after = duration(performance.now() - since)
    update((run) => ({
      ...run,
      ...more,
      steps: [...run.steps, { ...(typeof of === "function" ? of(run) : of), after }]
    }))
  }
  const log: RunLog = {
    sent: ({ headers, method, url }) => {
      isAnswered = false
      const key = headers[Headers.idempotencyKey.toLowerCase()]
      const cap = headers[Headers.maxPrice.key(names)]
      const waited = `after ${duration(performance.now() - lastAt)}`
      add(({ idempotencyKey, sends }) => {
        const isFirst = sends === 0
        const details = [
          isFirst ? "" : waited,
          key === undefined ? "" : key === idempotencyKey ? "the same idempotency key" : "an idempotency key",
          cap === undefined ? "" : `cap $${cap}`
        ]
        const text = details.filter(Boolean).join(", ")
        return isFirst
          ? { title: `Sent ${method} ${new URL(url).pathname}`, text: text && `with ${text}` }
          : { title: "Retried", text }
      })
      update((run) => ({
        ...run,
        sends: run.sends + 1,
        isBetween: false,
        idempotencyKey: key ?? run.idempotencyKey
      }))
    },
    answered: ({ headers, status }) => {
      isAnswered = true
      lastAt = performance.now()
      const replayed = isReplayed(headers)
      const wait = RetryAfter.parse(headers["retry-after"] ?? headers[Headers.longRetryAfter.toLowerCase()], Date.now())
      add(
        {
          title: `Answered ${status}`,
          text: replayed
            ? "the stored answer of the first call"
            : wait === undefined
              ? undefined
              : `asks to wait ${duration(wait)}`,
          kind: status < 400 ? "good" : status === 429 || status >= 500 ? "warn" : "bad"
        },
        {
          isBetween: status >= 400,
          response: {
            status,
            headers,
            requestId: headers["x-request-id"],
            replayed,
            limits: RateLimits.decode(headers)
          }
        }
      )
    },
    attempted: (failed) => {
      // An attempt that was answered has its step already.
      if (failed === undefined || isAnswered) return
      lastAt = performance.now()
      add({ title: "No answer", text: `${failed.type}, ${failed.outcome}`, kind: "warn" }, { isBetween: true })
    },
    ended: ({ charge, mode, result }) => {
      if (mode === "quote") return
      add(({ isStopping }) => endWords(result, isFree ? { state: "none" } : charge, isStopping), { isBetween: false })
    }
  }
  return { log, add }
}
