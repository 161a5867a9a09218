import { type CallResponse, type Client, resume, withResponse } from "@tollgate/client"
import type * as Effect from "effect/Effect"
import { useMemo } from "react"
import { type Defect, useCell } from "./Cell.ts"
import { useRunner } from "./TollgateProvider.ts"

/** A function of the client, or one of the app's own. */
type CallFunction<I, O, A, E> = (input: I, options?: O) => Effect.Effect<A, E, Client>

/**
 * Asks for the outcome of a call that may have run. `undefined` for any other error, and for a function of the app's own, of which the client cannot know what it called.
 */
const resumeCall = <I, O, A, E>(
  f: CallFunction<I, O, A, E>,
  error: unknown
): Effect.Effect<A, E, Client> | undefined => {
  if (!("operation" in f) || !(error instanceof Error)) return undefined
  if (!("idempotencyKey" in error)) return undefined
  // `operation` marks a function of the client: its errors include those of `resume`.
  return resume(f as never, error) as Effect.Effect<A, E, Client>
}

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
   * There if the call failed but may have run, and the hook has a function of the client: asks for its outcome, and never
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
