import { type Client, type StreamOptions, textOf } from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { useMemo } from "react"
import type { Defect } from "./Defect.ts"
import { useRunner } from "./TollgateProvider.ts"
import { useCell } from "./useCell.ts"

type OnCharge = NonNullable<StreamOptions["onCharge"]>
type Charge = Parameters<OnCharge>[0]

interface Received<A> {
  /** The text so far. */
  readonly text: string
  /** The events so far, in the protocol's own shape. */
  readonly events: ReadonlyArray<A>
  /** What the call cost, at its end. A stream that is left or breaks does not learn it. */
  readonly cost: Charge | undefined
}

/** `stopped`: by `stop()` or by unmounting. What was delivered until then is charged. */
export type StreamState<A, E> = Received<A> &
  (
    | { readonly state: "idle" | "streaming" | "done" | "stopped"; readonly error: undefined }
    | { readonly state: "failed"; readonly error: E | Defect }
  )

export type UseStream<I, O, A, E> = StreamState<A, E> & {
  /** Makes the call, which may cost something, so call it from an event. It aborts the stream before it. */
  readonly start: (input: I, options?: O) => void
  /** Closes the connection and keeps what has arrived. */
  readonly stop: () => void
}

interface Charged {
  readonly onCharge?: OnCharge
}

const idle = { state: "idle", text: "", events: [], cost: undefined, error: undefined } as const

const stopped = <A, E>({ cost, events, text }: StreamState<A, E>): StreamState<A, E> => ({
  state: "stopped",
  text,
  events,
  cost,
  error: undefined
})

/** A model's answer as it arrives: `useStream(chatCompletionsStream)`. */
export const useStream = <I, O extends Charged, A extends Readonly<Record<string, unknown>>, E>(
  stream: (input: I, options?: O) => Stream.Stream<A, E, Client>
): UseStream<I, O, A, E> => {
  const runner = useRunner()
  const [state, cell] = useCell<StreamState<A, E>>(idle, stopped)
  const actions = useMemo(
    () => ({
      start: (input: I, options?: O) => {
        const events: Array<A> = []
        let text = ""
        let cost: Charge | undefined
        const received = () => ({ text, events: events.slice(), cost })
        const onCharge = (charge: Charge) =>
          Effect.suspend(() => {
            cost = charge
            return options?.onCharge?.(charge) ?? Effect.void
          })
        cell.start(runner, {
          begin: { ...idle, state: "streaming" },
          effect: ({ writeSoon }) =>
            Stream.runForEachArray(stream(input, { ...options, onCharge } as O), (arrived) =>
              Effect.sync(() => {
                for (const event of arrived) text += textOf(event)
                events.push(...arrived)
                writeSoon(() => ({ ...received(), state: "streaming", error: undefined }))
              })
            ),
          done: () => ({ ...received(), state: "done", error: undefined }),
          failed: (error) => ({ ...received(), state: "failed", error })
        })
      },
      stop: cell.stop
    }),
    [cell, runner, stream]
  )
  return { ...state, ...actions }
}
