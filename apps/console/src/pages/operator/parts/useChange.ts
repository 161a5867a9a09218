import type { AdminError } from "@tollgate/client/admin"
import type { Client } from "@tollgate/client/Client"
import { useCall } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { useMemo, useState } from "react"

export interface Change {
  readonly busy: boolean
  readonly error: unknown
  /** Forgets the error, once it was seen. */
  readonly dismiss: () => void
  /** Does nothing while a change is under way, so a double click does it once. */
  readonly run: <A>(effect: Effect.Effect<A, AdminError, Client>, done: (value: A) => void) => void
}

const perform = (effect: Effect.Effect<void, AdminError, Client>) => effect

/** One change at a time. It goes on if the dialog that began it is closed. */
export const useChange = (): Change => {
  const { call, error, state } = useCall(perform)
  const [seen, setSeen] = useState<unknown>()
  return useMemo(
    () => ({
      busy: state === "pending",
      error: error === seen ? undefined : error,
      dismiss: () => setSeen(error),
      run: (effect, done) => call(Effect.map(effect, done))
    }),
    [call, error, seen, state]
  )
}
