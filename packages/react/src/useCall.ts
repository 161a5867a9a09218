import type { Abortable, Charge, CallPromise, PromiseClient } from "@tollgate/browser"
import { useMemo } from "react"
import { type Defect, type Failure, useCell } from "./Cell.ts"
import { type NameOf, useClient } from "./TollgateProvider.ts"

type Call<I, O, A> = (input: I, options?: O & Abortable) => Promise<A>

interface Nothing {
  readonly value: undefined
  readonly cost: undefined
  readonly requestId: undefined
}

interface Answer<A> {
  readonly value: A
  readonly cost: Charge | undefined
  readonly requestId: string | undefined
}

/** `stopped`: by `stop()` or by unmounting. The call may have run and may be charged. */
export type CallState<A, E = Failure> =
  | ({ readonly state: "idle" | "pending" | "stopped"; readonly error: undefined } & Nothing)
  | ({ readonly state: "done"; readonly error: undefined } & Answer<A>)
  | ({ readonly state: "failed"; readonly error: E | Defect } & Nothing)

export type UseCall<I, O, A, E = Failure> = CallState<A, E> & {
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

const answerOf = async <A>(promise: Promise<A> | CallPromise<A>): Promise<Answer<A>> =>
  "withResponse" in promise ? promise.withResponse() : { value: await promise, cost: undefined, requestId: undefined }

export const useCalling = <I, O, A, E>(
  make: Call<I, O, A>,
  again: ((error: unknown, options?: Abortable) => Promise<A>) | undefined
): UseCall<I, O, A, E> => {
  const [state, cell] = useCell<CallState<A, E>>(idle, stopped)
  const actions = useMemo(() => {
    const start = (made: (signal: AbortSignal) => Promise<A>): void => {
      if (cell.read().state === "pending") return
      cell.start<Answer<A>, E>({
        begin: pending,
        run: (_, signal) => answerOf(made(signal)),
        done: ({ cost, requestId, value }) => ({ state: "done", value, cost, requestId, error: undefined }),
        failed: (error) => ({ ...none, state: "failed", error })
      })
    }
    return {
      start,
      call: (input: I, options?: O) => start((signal) => make(input, { ...(options as O), signal })),
      stop: cell.stop
    }
  }, [cell, make])
  const { error } = state
  const isResumed = again !== undefined && error instanceof Error && "idempotencyKey" in error
  const { call, start, stop } = actions
  return { ...state, call, stop, resume: isResumed ? () => start((signal) => again(error, { signal })) : undefined }
}

type OptionsOf<F> = F extends (input: never, options?: infer O) => unknown ? Omit<NonNullable<O>, "signal"> : never

/** One call, made by a button: `useCall("rerank")`, or with a function of your own. */
export function useCall<K extends NameOf<(input: never) => CallPromise<unknown>>>(
  name: K
): UseCall<Parameters<PromiseClient[K]>[0], OptionsOf<PromiseClient[K]>, Awaited<ReturnType<PromiseClient[K]>>>
export function useCall<I, A>(own: Call<I, object, A>): UseCall<I, object, A>
export function useCall(called: string | Call<unknown, object, unknown>): UseCall<unknown, object, unknown> {
  const client = useClient()
  const isName = typeof called === "string"
  const make: Call<unknown, object, unknown> = isName ? Reflect.get(client, called) : called
  return useCalling(make, isName ? Reflect.get(client.resume, called) : undefined)
}
