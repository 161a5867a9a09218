import type { Client } from "@tollgate/client/Client"
import type * as Effect from "effect/Effect"
import { useMemo } from "react"
import type { Defect } from "./Defect.ts"
import { useRunner } from "./TollgateProvider.ts"
import { useCell } from "./useCell.ts"

/** `stopped`: by `stop()` or by unmounting. The call may have run and may be charged. */
export type CallState<A, E> =
  | { readonly state: "idle" | "pending" | "stopped"; readonly value: undefined; readonly error: undefined }
  | { readonly state: "done"; readonly value: A; readonly error: undefined }
  | { readonly state: "failed"; readonly value: undefined; readonly error: E | Defect }

export type UseCall<I, O, A, E> = CallState<A, E> & {
  /**
   * Makes the call, which may cost something, so call it from an event. It does nothing while another call is pending:
   * leaving that one would not save its price.
   */
  readonly call: (input: I, options?: O) => void
  /** Closes the connection. */
  readonly stop: () => void
}

const none = { value: undefined, error: undefined }
const idle = { ...none, state: "idle" } as const
const pending = { ...none, state: "pending" } as const
const stopped = () => ({ ...none, state: "stopped" }) as const

/** One call, made by a button: `useCall(rerank)`. */
export const useCall = <I, O, A, E>(
  operation: (input: I, options?: O) => Effect.Effect<A, E, Client>
): UseCall<I, O, A, E> => {
  const runner = useRunner()
  const [state, cell] = useCell<CallState<A, E>>(idle, stopped)
  const actions = useMemo(
    () => ({
      call: (input: I, options?: O) => {
        if (cell.read().state === "pending") return
        cell.start(runner, {
          begin: pending,
          effect: () => operation(input, options),
          done: (value) => ({ state: "done", value, error: undefined }),
          failed: (error) => ({ state: "failed", value: undefined, error })
        })
      },
      stop: cell.stop
    }),
    [cell, runner, operation]
  )
  return { ...state, ...actions }
}
