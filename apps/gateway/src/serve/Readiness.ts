import { type Face, nosniff } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { StoreState } from "./StoreState.ts"

/** Whether this process is being stopped. */
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
  { look }: Pick<StoreState, "look">,
  /** Why it may not take calls. */
  reasons: ReadonlyArray<() => string | undefined>
): Face.Face => {
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
