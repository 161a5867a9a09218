import type { Client } from "@tollgate/client"
import { type UseLoad, useLoad, type UseLoadOptions } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { useEffect } from "react"
import { toldBy } from "../json.ts"

/** Waits until nobody has typed for a moment: `useLoad` interrupts it when there is another effect. */
export const pauseInTyping = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.delay(effect, "350 millis")

const pauseMillis = 3_000

/** `useLoad` that tries again by itself while the gateway cannot be reached. */
export const useRecovering = <A, E>(
  effect: Effect.Effect<A, E, Client>,
  options: UseLoadOptions = {}
): UseLoad<A, E> => {
  const loaded = useLoad(effect, options)
  const { error, refresh } = loaded
  useEffect(() => {
    if (error === undefined || toldBy(error)._tag !== "TransportFailed") return undefined
    const timer = setTimeout(refresh, pauseMillis)
    return () => clearTimeout(timer)
  }, [error, refresh])
  return loaded
}
