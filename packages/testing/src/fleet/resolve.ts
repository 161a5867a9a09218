import type { Dispatcher } from "undici"
import { attempt, type Attempt, isFinal } from "./Attempt.ts"
import type { GatewayProcess } from "./GatewayProcess.ts"
import { pause } from "./seeded.ts"

const concurrency = 16
/** Bounds a failure. */
const mostRepeats = 600

/** Asks again, when all is up, what callers with an idempotency key did not learn under load, until each has the last word. */
export const resolve = async (
  dispatcher: Dispatcher,
  gateways: ReadonlyArray<GatewayProcess>,
  attempts: ReadonlyArray<Attempt>
): Promise<ReadonlyArray<Attempt>> => {
  const last = new Map(attempts.map((one) => [one.intent.id, one]))
  const unresolved = [...last.values()].filter((one) => one.intent.idempotencyKey !== undefined && !isFinal(one))
  const asked: Array<Attempt> = []
  const worker = async (n: number) => {
    const gateway = gateways[n % gateways.length]
    if (gateway === undefined) return
    for (let one = unresolved.pop(); one !== undefined; one = unresolved.pop()) {
      const intent = { ...one.intent, leavesAfter: undefined }
      for (let repeat = 0; repeat < mostRepeats; repeat++) {
        const result = await attempt(dispatcher, gateway, intent)
        asked.push(result)
        if (isFinal(result)) break
        await pause(100)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, (_, n) => worker(n)))
  return asked
}
