import type { Client } from "@tollgate/client"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { useCallback, useEffect } from "react"
import { type Defect, useCell } from "./Cell.ts"
import { useRunner } from "./TollgateProvider.ts"

/** The last value stays while the next one loads, and after a failure. */
export type LoadState<A, E> =
  | { readonly state: "loading"; readonly value: A | undefined; readonly error: undefined }
  | { readonly state: "ready"; readonly value: A; readonly error: undefined }
  | { readonly state: "failed"; readonly value: A | undefined; readonly error: E | Defect }

export interface UseLoadOptions<A = unknown> {
  /**
   * Loads it again this long after the last time, failures included. A function of the last value, which stays the same between
   * renders, ends that with `undefined`. Default: never.
   */
  readonly every?: Duration.Input | ((value: A | undefined) => Duration.Input | undefined) | undefined
  /** Whether another effect keeps the value of the one before until it has its own. Default: no. */
  readonly keep?: boolean
}

export type UseLoad<A, E> = LoadState<A, E> & {
  /** Loads it now. */
  readonly refresh: () => void
}

const reconnectMillis = 2_000

const isUnreached = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "TransportFailed"

const loading = { state: "loading", value: undefined, error: undefined } as const

/**
 * The value of an effect that costs nothing: it loads when the component mounts, and again for another effect, so make the
 * effect with `useMemo` or outside components. While the gateway cannot be reached, it loads again every two seconds.
 */
export const useLoad = <A, E>(effect: Effect.Effect<A, E, Client>, options: UseLoadOptions<A> = {}): UseLoad<A, E> => {
  const runner = useRunner()
  const [state, cell] = useCell<LoadState<A, E>>(loading, (state) => state)
  const every =
    options.every === undefined || typeof options.every === "function"
      ? options.every
      : Duration.toMillis(options.every)
  const keeps = options.keep === true

  const load = useCallback(
    (value: A | undefined) => {
      const failed = (error: E | Defect, { value }: LoadState<A, E>): LoadState<A, E> => ({
        state: "failed",
        value,
        error
      })
      cell.start(runner, {
        begin: { ...loading, value },
        effect: ({ write }) => {
          const once = Effect.map(effect, (value) => write({ state: "ready", value, error: undefined }))
          const note = (error: E) => Effect.sync(() => write(failed(error, cell.read())))
          if (every !== undefined) {
            const next = Effect.suspend((): Effect.Effect<void, never, Client> => {
              const pause = typeof every === "function" ? every(cell.read().value) : every
              return pause === undefined ? Effect.void : Effect.andThen(Effect.sleep(pause), again)
            })
            const again = Effect.andThen(Effect.catch(once, note), next)
            return again
          }
          const untilReached: typeof once = Effect.catch(once, (error) =>
            isUnreached(error)
              ? note(error).pipe(Effect.andThen(Effect.sleep(reconnectMillis)), Effect.andThen(untilReached))
              : Effect.fail(error)
          )
          return untilReached
        },
        done: (_, state) => state,
        failed
      })
    },
    [cell, runner, effect, every]
  )
  useEffect(() => {
    load(keeps ? cell.read().value : undefined)
    return cell.stop
  }, [cell, load, keeps])
  const refresh = useCallback(() => load(cell.read().value), [cell, load])
  return { ...state, refresh }
}
