import type { Dispatcher } from "undici"
import { attempt } from "./Attempt.ts"
import type { GatewayProcess } from "./GatewayProcess.ts"
import { makeIntent } from "./Intent.ts"
import { pause, pick, type Random } from "./seeded.ts"

/** A time in which one key with a low limit was used as fast as possible, by the clock of the database. */
export interface Window {
  readonly intents: Set<string>
  readonly from: number
  until: number
  refused: number
  /** How often a gateway lost the store of the limits in it, and counted a share of them in its own memory. */
  losses: number
}

export interface LimitedOptions {
  readonly dispatcher: Dispatcher
  readonly gateways: ReadonlyArray<GatewayProcess>
  /** Each window takes the next key. */
  readonly keys: Array<string>
  readonly callers: number
  readonly random: Random
  readonly databaseTime: () => Promise<number>
}

const lossesIn = (gateways: ReadonlyArray<GatewayProcess>): number =>
  gateways.reduce((sum, { logged }) => sum + logged.split(goneLine).length - 1, 0)

const goneLine = "the store of the limits is gone"
const backLine = "the store of the limits is back"

const isGone = ({ isReady, loggedSinceStart }: GatewayProcess): boolean =>
  isReady && loggedSinceStart.lastIndexOf(goneLine) > loggedSinceStart.lastIndexOf(backLine)

let intents = 1_000_000

/** Callers that use one key over all gateways as fast as they can, so that its limit is all that holds them. */
export const limitedLoad = (options: LimitedOptions) => {
  const { callers, databaseTime, dispatcher, gateways, keys, random } = options
  const windows: Array<Window> = []
  let running: Promise<unknown> | undefined
  let isOver = false

  const caller = async (window: Window, key: string) => {
    while (!isOver) {
      const intent = makeIntent(++intents, "rerank", key, "tokens=1")
      window.intents.add(intent.id)
      const inRotation = gateways.filter(({ isInRotation }) => isInRotation)
      const { status } = await attempt(dispatcher, pick(random, inRotation), intent)
      if (status === 429) window.refused++
      await pause(status === 200 ? 5 : 30)
    }
  }

  return {
    windows,
    /** `duringLoss`: the store of the limits is gone. Otherwise waits until each gateway has found it again. */
    open: async ({ duringLoss = false } = {}) => {
      const key = keys.shift()
      if (key === undefined) throw new Error("no key is left")
      while (!duringLoss && gateways.some(isGone)) await pause(20)
      const window = { intents: new Set<string>(), from: await databaseTime(), until: 0, refused: 0, losses: 0 }
      window.losses = gateways.filter(isGone).length - lossesIn(gateways)
      windows.push(window)
      isOver = false
      running = Promise.all(Array.from({ length: callers }, () => caller(window, key)))
    },
    /** Ends the window, not before the limit has refused something. */
    close: async () => {
      const window = windows.at(-1)
      if (window === undefined || running === undefined) return
      while (window.refused === 0) await pause(10)
      isOver = true
      await running
      running = undefined
      window.until = await databaseTime()
      window.losses += lossesIn(gateways)
    }
  }
}
