import type { Client } from "@tollgate/client"
import { type UseLoad, useLoad, type UseLoadOptions } from "@tollgate/react"
import type * as Effect from "effect/Effect"
import { useEffect } from "react"
import { toldBy } from "../client/told.ts"

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
