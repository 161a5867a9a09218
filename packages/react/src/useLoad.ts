import type { Time } from "@tollgate/browser"
import { useCallback, useEffect } from "react"
import { type Defect, type Failure, useCell } from "./Cell.ts"

/** The last value stays while the next one loads, and after a failure. */
export type LoadState<A, E = Failure> =
  | { readonly state: "loading"; readonly value: A | undefined; readonly error: undefined }
  | { readonly state: "ready"; readonly value: A; readonly error: undefined }
  | { readonly state: "failed"; readonly value: A | undefined; readonly error: E | Defect }

export interface UseLoadOptions<A = unknown, T = Time> {
  /**
   * Loads it again this long after the last time, failures included. A function of the last value, which stays the same between
   * renders, ends that with `undefined`. Default: never.
   */
  readonly every?: T | ((value: A | undefined) => T | undefined) | undefined
  /** Whether another function keeps the value of the one before until it has its own. Default: no. */
  readonly keep?: boolean
}

export type UseLoad<A, E = Failure> = LoadState<A, E> & {
  /** Loads it now. */
  readonly refresh: () => void
}

const units: Readonly<Record<string, number>> = {
  milli: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000
}

/** Milliseconds of a length of time. */
export const millisOf = (time: Time): number => {
  if (typeof time !== "string") return time
  const [amount = "", unit = ""] = time.split(" ")
  return Number(amount) * (units[unit.replace(/s$/, "")] ?? 1)
}

const reconnectMillis = 2_000

const isUnreached = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "TransportFailed"

/** The longest that a timer can wait. */
const longest = 2 ** 31 - 1

const sleep = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.min(millis, longest))
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

const loading = { state: "loading", value: undefined, error: undefined } as const

/**
 * The value of a function that costs nothing: it loads when the component mounts, and again for another function, so make that with
 * `useCallback` or outside components. While the gateway cannot be reached, it loads again every two seconds.
 */
export const useLoad = <A, E = Failure>(
  load: (signal: AbortSignal) => Promise<A>,
  { every, keep = false }: UseLoadOptions<A> = {}
): UseLoad<A, E> => {
  const [state, cell] = useCell<LoadState<A, E>>(loading, (state) => state)

  const start = useCallback(
    (value: A | undefined) => {
      const failed = (error: E | Defect, { value }: LoadState<A, E>): LoadState<A, E> => ({
        state: "failed",
        value,
        error
      })
      cell.start<void, E>({
        begin: { ...loading, value },
        run: async ({ write }, signal) => {
          while (!signal.aborted) {
            let pause: Time | undefined = reconnectMillis
            try {
              write({ state: "ready", value: await load(signal), error: undefined })
              if (every === undefined) return
            } catch (error) {
              if (signal.aborted || (every === undefined && !isUnreached(error))) throw error
              write(failed(error as E, cell.read()))
            }
            if (every !== undefined) pause = typeof every === "function" ? every(cell.read().value) : every
            if (pause === undefined) return
            await sleep(millisOf(pause), signal)
          }
        },
        done: (_, state) => state,
        failed
      })
    },
    [cell, load, every]
  )
  useEffect(() => {
    start(keep ? cell.read().value : undefined)
    return cell.stop
  }, [cell, start, keep])
  const refresh = useCallback(() => start(cell.read().value), [cell, start])
  return { ...state, refresh }
}
