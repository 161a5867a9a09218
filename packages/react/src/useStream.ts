import { type CallResponse, type Client, textOf, withResponse } from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { useMemo } from "react"
import { type Defect, useCell } from "./Cell.ts"
import { useRunner } from "./TollgateProvider.ts"

type Response = CallResponse<unknown>

interface Received<A> {
  /** The text so far. */
  readonly text: string
  /** The events so far, in the protocol's own shape. */
  readonly events: ReadonlyArray<A>
}

/** `stopped`: by `stop()` or by unmounting. What was delivered until then is charged. */
export type StreamState<A, E> = Received<A> &
  (
    | {
        readonly state: "idle" | "streaming" | "stopped"
        readonly error: undefined
        readonly cost: undefined
        readonly requestId: undefined
      }
    | ({ readonly state: "done"; readonly error: undefined } & Pick<Response, "cost" | "requestId">)
    | {
        readonly state: "failed"
        readonly error: E | Defect
        readonly cost: undefined
        readonly requestId: undefined
      }
  )

export type UseStream<I, O, A, E> = StreamState<A, E> & {
  /** Makes the call, which may cost something, so call it from an event. It aborts the stream before it. */
  readonly start: (input: I, options?: O) => void
  /** Closes the connection and keeps what has arrived. */
  readonly stop: () => void
}

const none = { error: undefined, cost: undefined, requestId: undefined }
const idle = { ...none, state: "idle", text: "", events: [] } as const

const stopped = <A, E>({ events, text }: StreamState<A, E>): StreamState<A, E> => ({
  ...none,
  state: "stopped",
  text,
  events
})

/** A model's answer as it arrives: `useStream(chatCompletionsStream)`. */
export const useStream = <I, O, A extends object, E>(
  stream: (input: I, options?: O) => Stream.Stream<A, E, Client>
): UseStream<I, O, A, E> => {
  const runner = useRunner()
  const [state, cell] = useCell<StreamState<A, E>>(idle, stopped)
  const actions = useMemo(
    () => ({
      start: (input: I, options?: O) => {
        const events: Array<A> = []
        let text = ""
        const received = (): Received<A> => ({ text, events: events.slice() })
        cell.start(runner, {
          begin: { ...idle, state: "streaming" },
          effect: ({ writeSoon }) =>
            withResponse(
              Stream.runForEachArray(stream(input, options), (arrived) =>
                Effect.sync(() => {
                  for (const event of arrived) {
                    // It reads what has the shape of an event, and finds no text in anything else.
                    text += textOf(event as Parameters<typeof textOf>[0])
                    events.push(event)
                  }
                  writeSoon(() => ({ ...none, ...received(), state: "streaming" }))
                })
              )
            ),
          done: ({ cost, requestId }) => ({ ...none, ...received(), state: "done", cost, requestId }),
          failed: (error) => ({ ...none, ...received(), state: "failed", error })
        })
      },
      stop: cell.stop
    }),
    [cell, runner, stream]
  )
  return { ...state, ...actions }
}
