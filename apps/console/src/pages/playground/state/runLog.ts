import * as Headers from "@tollgate/contract/Headers"
import { isReplayed } from "@tollgate/contract/errors/decode"
import type { Names } from "@tollgate/contract/Names"
import * as RateLimits from "@tollgate/contract/RateLimits"
import * as RetryAfter from "@tollgate/contract/RetryAfter"
import type { RunLog } from "../client/playgroundClient.ts"
import type { Run, Step } from "./Run.ts"

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
