import { type Face, nosniff } from "@tollgate/gateway"
import { doesNotTouchLedger } from "@tollgate/gateway/driver"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { SqlClient } from "effect/sql/SqlClient"

/** Whether this process is being stopped. */
export interface Stopping {
  isStopping: boolean
  /** What runs when it begins. */
  readonly runs: Array<() => void>
}

export const notStopping = (): Stopping => ({ isStopping: false, runs: [] })

/** The store is asked at most once in this time, however many ask for it. */
const freshMillis = 1_000
const patience = "2 seconds"

const headers = { ...nosniff, "cache-control": "no-store" }
const answer = (text: string, status = 200) => HttpServerResponse.text(text, { status, headers })

const ready = answer("ready")
const stopping = answer("not ready: the gateway is being stopped", 503)
const noStore = answer("not ready: the store does not answer", 503)

/** `/healthz`: the process serves. `/readyz`: it can also take calls, so a load balancer may send them here. */
export const readiness = Effect.fnUntraced(function* (
  process: Stopping,
  /** Why it may not take calls although the store answers. */
  reasons: ReadonlyArray<() => string | undefined> = []
) {
  const sql = yield* SqlClient
  const clock = yield* Clock.Clock
  const healthy = Effect.succeed(answer("ok"))
  let isReachable = true
  let askedAt = -Infinity

  const askStore = doesNotTouchLedger(sql`SELECT 1`).pipe(
    Effect.timeout(patience),
    Effect.match({ onSuccess: () => true, onFailure: () => false }),
    Effect.tap((reached) => Effect.sync(() => void (isReachable = reached)))
  )

  const reachable = () => {
    for (const reason of reasons) {
      const found = reason()
      if (found !== undefined) return answer(`not ready: ${found}`, 503)
    }
    return ready
  }

  const state = Effect.suspend(() => {
    if (process.isStopping) return Effect.succeed(stopping)
    const now = clock.currentTimeMillisUnsafe()
    if (now - askedAt < freshMillis) return Effect.succeed(isReachable ? reachable() : noStore)
    askedAt = now
    return Effect.map(askStore, (reached) => (process.isStopping ? stopping : reached ? reachable() : noStore))
  })

  const answers = new Map([
    ["/healthz", healthy],
    ["/readyz", state]
  ])
  const face: Face.Face = {
    paths: [...answers.keys()],
    answer: ({ method, url }) => (method === "GET" || method === "HEAD" ? answers.get(url) : undefined)
  }
  return face
})
