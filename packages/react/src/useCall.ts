import { type CallResponse, type Client, withResponse } from "@tollgate/client"
import type * as Effect from "effect/Effect"
import { useMemo } from "react"
import type { Defect } from "./Defect.ts"
import { type CallFunction, resumeCall } from "./resumeCall.ts"
import { useRunner } from "./TollgateProvider.ts"
import { useCell } from "./useCell.ts"

interface Nothing {
  readonly value: undefined
  readonly cost: undefined
  readonly requestId: undefined
}

/** `stopped`: by `stop()` or by unmounting. The call may have run and may be charged. */
export type CallState<A, E> =
  | ({ readonly state: "idle" | "pending" | "stopped"; readonly error: undefined } & Nothing)
  | ({ readonly state: "done"; readonly error: undefined } & Pick<CallResponse<A>, "value" | "cost" | "requestId">)
  | ({ readonly state: "failed"; readonly error: E | Defect } & Nothing)

export type UseCall<I, O, A, E> = CallState<A, E> & {
  /**
   * Makes the call, which may cost something, so call it from an event. It does nothing while another call is pending:
   * leaving that one would not save its price.
   */
  readonly call: (input: I, options?: O) => void
  /**
   * There if the call failed with `OutcomeUnknown` and the hook has a function of the client: asks for its outcome, and never
   * pays twice. Calling again instead could.
   */
  readonly resume: (() => void) | undefined
  /** Closes the connection. */
  readonly stop: () => void
}

const none = { value: undefined, error: undefined, cost: undefined, requestId: undefined }
const idle = { ...none, state: "idle" } as const
const pending = { ...none, state: "pending" } as const
const stopped = () => ({ ...none, state: "stopped" }) as const

/** One call, made by a button: `useCall(rerank)`. */
export const useCall = <I, O, A, E>(operation: CallFunction<I, O, A, E>): UseCall<I, O, A, E> => {
  const runner = useRunner()
  const [state, cell] = useCell<CallState<A, E>>(idle, stopped)
  const { make, ...actions } = useMemo(() => {
    const make = (effect: () => Effect.Effect<A, E, Client>): void => {
      if (cell.read().state === "pending") return
      cell.start(runner, {
        begin: pending,
        effect: () => withResponse(effect()),
        done: ({ cost, requestId, value }) => ({ state: "done", value, cost, requestId, error: undefined }),
        failed: (error) => ({ ...none, state: "failed", error })
      })
    }
    return { make, call: (input: I, options?: O) => make(() => operation(input, options)), stop: cell.stop }
  }, [cell, runner, operation])
  const resumed = state.state === "failed" ? resumeCall(operation, state.error) : undefined
  return { ...state, ...actions, resume: resumed && (() => make(() => resumed)) }
}
