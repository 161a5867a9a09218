import type { CallOptions, CallResponse, HookRequest, HookResponse } from "@tollgate/client"
import type { Ended, Failed } from "@tollgate/client/observe"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import type { Arguments } from "../json.ts"
import * as Headers from "@tollgate/contract/Headers"
import { isReplayed } from "@tollgate/contract/errors/decode"
import type { Names } from "@tollgate/contract/Names"
import * as RateLimits from "@tollgate/contract/RateLimits"
import * as RetryAfter from "@tollgate/contract/RetryAfter"

/** Something that the client did or saw. `at` is in milliseconds since the run began. */
export type Step = { readonly at: number } & (
  | { readonly kind: "quoted"; readonly estimate: number; readonly max: number }
  | { readonly kind: "resumed" }
  | {
      readonly kind: "sent"
      readonly number: number
      readonly method: string
      readonly path: string
      readonly key: string | undefined
      readonly sameKey: boolean
      readonly cap: string | undefined
    }
  | {
      readonly kind: "answered"
      readonly status: number
      readonly retryAfter: number | undefined
      readonly replayed: boolean
    }
  | { readonly kind: "lost"; readonly tag: string; readonly outcome: Outcome }
  | { readonly kind: "first" }
  | { readonly kind: "ended"; readonly result: "success" | "failed" | "left"; readonly charge: Charge }
)

export type Response = Omit<CallResponse<unknown>, "value">

/** One run of an operation, and what came of it so far. */
export interface Run {
  /** Counts runs of this page. */
  readonly id: number
  readonly arguments: Arguments
  readonly options: CallOptions
  readonly streams: boolean
  readonly state: "running" | "done" | "failed" | "stopped"
  readonly steps: ReadonlyArray<Step>
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
  readonly response: Partial<Response>
  readonly idempotencyKey: string | undefined
  readonly firstMillis: number | undefined
  readonly totalMillis: number | undefined
}

export const newRun = (id: number, given: Arguments, options: CallOptions, streams: boolean): Run => ({
  id,
  arguments: given,
  options,
  streams,
  state: "running",
  steps: [],
  text: "",
  events: [],
  eventCount: 0,
  isCutOff: false,
  isStopping: false,
  value: undefined,
  error: undefined,
  response: {},
  idempotencyKey: undefined,
  firstMillis: undefined,
  totalMillis: undefined
})

/** A call that somebody stopped may have run. Under its key the gateway gives the answer that it stored. */
export const canAskFor = ({ idempotencyKey, state, streams }: Run): boolean =>
  state === "stopped" && !streams && idempotencyKey !== undefined

/** How often the request was sent again. */
export const retriesOf = ({ steps }: Run): number => Math.max(0, steps.filter(({ kind }) => kind === "sent").length - 1)

/** Gets what the client does during one run, as it does it. */
export interface RunLog {
  readonly sent: (request: HookRequest) => void
  readonly answered: (response: HookResponse) => void
  readonly attempted: (failed: Failed | undefined) => void
  readonly ended: (ended: Ended) => void
}

/** A step without its time. */
type Untimed = Step extends infer S ? (S extends Step ? Omit<S, "at"> : never) : never

export type Update = (change: (run: Run) => Run) => void

/** Writes what the client does into the run. */
export const runLog = (names: Names, since: number, update: Update) => {
  let answered = false
  const add = (step: Untimed, more: Partial<Run> = {}): void => {
    const at = performance.now() - since
    update((run) => ({ ...run, ...more, steps: [...run.steps, { ...step, at } as Step] }))
  }
  const log: RunLog = {
    sent: ({ headers, method, url }) => {
      answered = false
      const key = headers[Headers.idempotencyKey.toLowerCase()]
      const at = performance.now() - since
      update((run) => ({
        ...run,
        idempotencyKey: key ?? run.idempotencyKey,
        steps: [
          ...run.steps,
          {
            kind: "sent",
            at,
            number: run.steps.filter(({ kind }) => kind === "sent").length + 1,
            method,
            path: new URL(url).pathname,
            key,
            sameKey: key !== undefined && key === run.idempotencyKey,
            cap: headers[Headers.maxPrice.key(names)]
          }
        ]
      }))
    },
    answered: ({ headers, status }) => {
      answered = true
      const wait = headers["retry-after"] ?? headers[Headers.longRetryAfter.toLowerCase()]
      add(
        {
          kind: "answered",
          status,
          retryAfter: RetryAfter.parse(wait, Date.now()),
          replayed: isReplayed(headers)
        },
        {
          response: {
            status,
            headers,
            requestId: headers["x-request-id"],
            replayed: isReplayed(headers),
            limits: RateLimits.decode(headers)
          }
        }
      )
    },
    attempted: (failed) => {
      // An attempt that was answered has its step already.
      if (failed !== undefined && !answered) add({ kind: "lost", tag: failed.type, outcome: failed.outcome })
    },
    ended: ({ charge, mode, result }) => {
      if (mode !== "quote") add({ kind: "ended", result, charge })
    }
  }
  return { log, add }
}
