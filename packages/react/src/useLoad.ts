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

export interface UseLoadOptions {
  /** Loads it again this long after the last time, failures included. Default: never. */
  readonly every?: Duration.Input | undefined
  /** Whether another effect keeps the value of the one before until it has its own. Default: no. */
  readonly keep?: boolean
}

export type UseLoad<A, E> = LoadState<A, E> & {
  /** Loads it now. */
  readonly refresh: () => void
}

const loading = { state: "loading", value: undefined, error: undefined } as const

/**
 * The value of an effect that costs nothing: it loads when the component mounts, and again for another effect, so make the
 * effect with `useMemo` or outside components.
 */
export const useLoad = <A, E>(effect: Effect.Effect<A, E, Client>, options: UseLoadOptions = {}): UseLoad<A, E> => {
  const runner = useRunner()
  const [state, cell] = useCell<LoadState<A, E>>(loading, (state) => state)
  const everyMillis = options.every === undefined ? undefined : Duration.toMillis(options.every)
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
          if (everyMillis === undefined) return once
          const harmless = Effect.catch(once, (error) => Effect.sync(() => write(failed(error, cell.read()))))
          return Effect.forever(Effect.andThen(harmless, Effect.sleep(everyMillis)))
        },
        done: (_, state) => state,
        failed
      })
    },
    [cell, runner, effect, everyMillis]
  )
  useEffect(() => {
    load(keeps ? cell.read().value : undefined)
    return cell.stop
  }, [cell, load, keeps])
  const refresh = useCallback(() => load(cell.read().value), [cell, load])
  return { ...state, refresh }
}
