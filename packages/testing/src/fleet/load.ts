import type { Dispatcher } from "undici"
import { attempt, type Attempt, isFinal } from "./Attempt.ts"
import type { GatewayProcess } from "./GatewayProcess.ts"
import { type Intent, randomIntent } from "./Intent.ts"
import { type PolledTask, pollTask } from "./pollTask.ts"
import { pause, pick, seeded } from "./seeded.ts"

export interface LoadOptions {
  readonly dispatcher: Dispatcher
  readonly gateways: ReadonlyArray<GatewayProcess>
  readonly keys: ReadonlyArray<string>
  readonly callers: number
  readonly seed: number
}

/** The most that a caller asks again under one key before it goes on; what is left is asked when all is quiet. */
const mostRepeats = 12

/** How often an SDK repeats a request by itself. */
const sdkRepeats = 2

/** Callers that ask for mixed operations, each one after the other, until they are told to stop. */
export const load = ({ callers, dispatcher, gateways, keys, seed }: LoadOptions) => {
  const attempts: Array<Attempt> = []
  const polls: Array<Promise<PolledTask>> = []
  let isOver = false
  let intents = 0

  const ask = async (intent: Intent, random: () => number): Promise<void> => {
    let last: string | undefined
    for (let repeat = 0; repeat <= mostRepeats; repeat++) {
      const others = gateways.filter(({ isInRotation, name }) => isInRotation && name !== last)
      const gateway = pick(random, others.length > 0 ? others : gateways)
      last = gateway.name
      const result = await attempt(dispatcher, gateway, repeat === 0 ? intent : stays(intent), repeat)
      attempts.push(result)
      if (result.end === "cut") await pause(20)
      if (result.taskId !== undefined && result.isReplayed !== true) {
        polls.push(pollTask(dispatcher, gateways, random, result))
      }
      if (isOver || !goesOn(result, repeat, random)) return
      // Some callers give up.
      if (result.end === "left" && random() < 0.5) return
      await pause(20 + random() * 60 * (repeat + 1))
    }
  }

  const caller = async (n: number) => {
    const random = seeded(seed * 1_000 + n)
    while (!isOver) await ask(randomIntent(random, ++intents, keys), random)
  }
  const running = Promise.all(Array.from({ length: callers }, (_, n) => caller(n)))

  return {
    attempts,
    /** Resolves when so many more calls have ended. */
    more: async (count: number) => {
      const until = attempts.length + count
      while (attempts.length < until) await pause(10)
    },
    /** Resolves with the tasks that callers have polled to their ends. */
    stop: async () => {
      isOver = true
      await running
      return Promise.all(polls)
    }
  }
}

/** Some callers ask again for what they have: their own record of it was lost. */
const goesOn = (result: Attempt, repeat: number, random: () => number): boolean => {
  const { countsAttempts, idempotencyKey } = result.intent
  if (countsAttempts) return repeat < sdkRepeats && (result.isRepeatedBySdk === true || random() < 0.3)
  return idempotencyKey !== undefined && (!isFinal(result) || random() < 0.3)
}

const stays = (intent: Intent): Intent => ({ ...intent, leavesAfter: undefined })
