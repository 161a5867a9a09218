import type { Dispatcher } from "undici"
import { attempt, type Attempt } from "./Attempt.ts"
import type { GatewayProcess } from "./GatewayProcess.ts"
import { makeIntent } from "./Intent.ts"

let intents = 2_000_000

/** 200 calls at once over all gateways, alike if they have an idempotency key. */
export const race = (
  dispatcher: Dispatcher,
  gateways: ReadonlyArray<GatewayProcess>,
  key: string,
  idempotencyKey?: string
): Promise<ReadonlyArray<Attempt>> => {
  const one = ++intents
  return Promise.all(
    Array.from({ length: 200 }, (_, i) => {
      const gateway = gateways[i % gateways.length]
      if (gateway === undefined) throw new Error("no gateway")
      const n = idempotencyKey === undefined ? ++intents : one
      const intent = { ...makeIntent(n, "echo", key, "wait=20"), idempotencyKey, leavesAfter: 60_000 }
      return attempt(dispatcher, gateway, intent)
    })
  )
}
