import { Family } from "@tollgate/gateway/driver"
import { TryWrite } from "@tollgate/gateway/operator"
import * as Effect from "effect/Effect"
import { hasProperty } from "effect/Predicate"
import type { SqlError } from "effect/sql/SqlError"
import { type EndpointGroup, nosniff } from "@tollgate/gateway"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** The store is asked at most once in this time, however many ask for it. */
const freshMillis = 1_000
const patience = "2 seconds"

/** Why billed calls are refused, as the metric and `/readyz` name it. */
const words = {
  disk_full: "the disk of the store is full",
  read_only: "the store is read-only",
  files_lost: "the files of the store were deleted or replaced",
  no_answer: "the store does not answer",
  other: "the store cannot be written"
}
type Failure = keyof typeof words

const names = Object.keys(words) as ReadonlyArray<Failure>

/** By SQLite's result codes and PostgreSQL's SQLSTATEs. */
const failureOf = ({ reason }: SqlError): Failure => {
  const { _tag, cause } = reason
  if (hasProperty(cause, "errcode") && typeof cause.errcode === "number") {
    if (cause.errcode === 1032) return "files_lost"
    const primary = cause.errcode & 0xff
    return primary === 13 ? "disk_full" : primary === 8 ? "read_only" : "other"
  }
  if (hasProperty(cause, "code")) {
    if (cause.code === "53100") return "disk_full"
    if (cause.code === "25006") return "read_only"
  }
  return _tag === "ConnectionError" || _tag === "StatementTimeoutError" ? "no_answer" : "other"
}

/** Whether the ledger can be written, so that billed calls are accepted. */
export const storeState = Effect.gen(function* () {
  const tryWrite = yield* TryWrite.make
  let failure: Failure | undefined

  const changed = (next: Failure | undefined) => {
    if (next === failure) return Effect.void
    failure = next
    return next === undefined
      ? Effect.logWarning("the store can be written again")
      : Effect.logError("calls that cost something are refused", { reason: words[next] })
  }

  const look = yield* Effect.suspend(() => tryWrite({ withRoom: failure !== undefined })).pipe(
    Effect.timeout(patience),
    Effect.match({
      onSuccess: () => undefined,
      onFailure: (error): Failure => (error._tag === "SqlError" ? failureOf(error) : "no_answer")
    }),
    Effect.flatMap(changed),
    Effect.cachedWithTTL(freshMillis),
    // A caller who leaves would let the next one look anew at once.
    Effect.map(Effect.uninterruptible)
  )

  return {
    /** Tries a write, unless that was done a moment ago. */
    look,
    /** Why billed calls are refused, as of the last look. */
    reason: () => failure && words[failure],
    families: (): Family.Snapshot => [
      Family.sharedGauge(
        "tollgate_store_refusing",
        "1 for the reason for which the store takes no writes, so that billed calls are refused.",
        names.map((reason) => ({ labels: { reason }, value: reason === failure ? 1 : 0 }))
      )
    ]
  }
})

export interface Stopping {
  isStopping: boolean
  /** What runs when it begins. */
  readonly runs: Array<() => void>
}

export const notStopping = (): Stopping => ({ isStopping: false, runs: [] })

const headers = { ...nosniff, "cache-control": "no-store" }
const answer = (text: string, status = 200) => HttpServerResponse.text(text, { status, headers })

const ready = answer("ready")
const stopping = answer("not ready: the gateway is being stopped", 503)

/** `/healthz`: the process serves. `/readyz`: it also accepts billed calls, so a load balancer may send them here. */
export const readiness = (
  process: Stopping,
  { look }: { readonly look: Effect.Effect<void> },
  /** Why it may not take calls. */
  reasons: ReadonlyArray<() => string | undefined>
): EndpointGroup.EndpointGroup => {
  const healthy = Effect.succeed(answer("ok"))

  const found = () => {
    if (process.isStopping) return stopping
    for (const reason of reasons) {
      const found = reason()
      if (found !== undefined) return answer(`not ready: ${found}`, 503)
    }
    return ready
  }

  const state = Effect.suspend(() => (process.isStopping ? Effect.succeed(stopping) : Effect.map(look, found)))

  const answers = new Map([
    ["/healthz", healthy],
    ["/readyz", state]
  ])
  return {
    paths: [...answers.keys()],
    answer: ({ method, url }) => (method === "GET" || method === "HEAD" ? answers.get(url) : undefined)
  }
}
