import { type Abortable, type Charge, type EventStream, type PromiseClient, textOf } from "@tollgate/browser"
import { useMemo } from "react"
import { type Defect, type Failure, useCell } from "./Cell.ts"
import { type NameOf, useClient } from "./TollgateProvider.ts"

type Start<I, O, A> = (input: I, options?: O & Abortable) => AsyncIterable<A>

interface Received<A> {
  /** The text so far. */
  readonly text: string
  /** The events so far, in the protocol's own shape. */
  readonly events: ReadonlyArray<A>
}

interface Untold {
  readonly cost: undefined
  readonly requestId: undefined
}

interface Told {
  readonly cost: Charge | undefined
  readonly requestId: string | undefined
}

/** `stopped`: by `stop()` or by unmounting. What was delivered until then is charged. */
export type StreamState<A, E = Failure> = Received<A> &
  (
    | ({ readonly state: "idle" | "streaming" | "stopped"; readonly error: undefined } & Untold)
    | ({ readonly state: "done"; readonly error: undefined } & Told)
    | ({ readonly state: "failed"; readonly error: E | Defect } & Untold)
  )

export type UseStream<I, O, A, E = Failure> = StreamState<A, E> & {
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

const toldBy = async (answer: AsyncIterable<unknown> | EventStream<unknown>): Promise<Told> =>
  "response" in answer ? answer.response() : { cost: undefined, requestId: undefined }

export const useStreaming = <I, O, A, E>(stream: Start<I, O, A>): UseStream<I, O, A, E> => {
  const [state, cell] = useCell<StreamState<A, E>>(idle, stopped)
  const actions = useMemo(
    () => ({
      start: (input: I, options?: O) => {
        const events: Array<A> = []
        let text = ""
        const received = (): Received<A> => ({ text, events: events.slice() })
        cell.start<Told, E>({
          begin: { ...idle, state: "streaming" },
          run: async ({ writeSoon }, signal) => {
            const answer = stream(input, { ...(options as O), signal })
            for await (const event of answer) {
              // It reads what has the shape of an event, and finds no text in anything else.
              text += textOf(event as Parameters<typeof textOf>[0])
              events.push(event)
              writeSoon(() => ({ ...none, ...received(), state: "streaming" }))
            }
            return toldBy(answer)
          },
          done: ({ cost, requestId }) => ({ ...none, ...received(), state: "done", cost, requestId }),
          failed: (error) => ({ ...none, ...received(), state: "failed", error })
        })
      },
      stop: cell.stop
    }),
    [cell, stream]
  )
  return { ...state, ...actions }
}

type EventOf<F> = F extends (input: never) => EventStream<infer A> ? A : never
type OptionsOf<F> = F extends (input: never, options?: infer O) => unknown ? Omit<NonNullable<O>, "signal"> : never

/** A model's answer as it arrives: `useStream("chatCompletionsStream")`, or with a function of your own. */
export function useStream<K extends NameOf<(input: never) => EventStream<unknown>>>(
  name: K
): UseStream<Parameters<PromiseClient[K]>[0], OptionsOf<PromiseClient[K]>, EventOf<PromiseClient[K]>>
export function useStream<I, A>(own: Start<I, object, A>): UseStream<I, object, A>
export function useStream(called: string | Start<unknown, object, unknown>): UseStream<unknown, object, unknown> {
  const client = useClient()
  const stream: Start<unknown, object, unknown> = typeof called === "string" ? Reflect.get(client, called) : called
  return useStreaming(stream)
}
