import { type CallOptions, type CallResponse, type Client, resume, textOf, withResponse } from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Functions } from "../client/functions.ts"

/** How a run begins: with an input, or by asking for the outcome of one that failed. */
export type Begin =
  | { readonly input: never; readonly options: CallOptions }
  /** The error of a call whose outcome is unknown. */
  | { readonly unknown: Error }

export interface OnEvents {
  (text: string, events: ReadonlyArray<object>): void
}

type Ran = Effect.Effect<CallResponse<unknown>, unknown, Client>

const streamed = (events: Stream.Stream<object, unknown, Client>, onEvents: OnEvents): Ran =>
  withResponse(
    Stream.runForEachArray(events, (arrived) =>
      Effect.sync(() =>
        onEvents(arrived.map((event) => textOf(event as Parameters<typeof textOf>[0])).join(""), arrived)
      )
    )
  )

/** Makes the call with the client's own function. */
export const runEffect = ({ call, stream }: Functions, streams: boolean, begin: Begin, onEvents: OnEvents): Ran => {
  if (streams && stream !== undefined) {
    return streamed(
      "unknown" in begin ? resume(stream, begin.unknown) : stream(begin.input, begin.options),
      onEvents
    )
  }
  return withResponse("unknown" in begin ? resume(call, begin.unknown) : call(begin.input, begin.options))
}
