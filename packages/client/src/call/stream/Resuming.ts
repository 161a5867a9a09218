import type { Reading } from "../../events/Event.ts"
import type * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type * as Exit from "effect/Exit"
import type { CallOptions, Resumable } from "../../options/CallOptions.ts"
import type { Head } from "@tollgate/contract/carrier/Carrier"
import type * as Stream from "effect/Stream"
import type { BrokenStream } from "../../events/errors.ts"
import type { SseItem } from "../../events/sse/parser.ts"
import type { Invocation } from "../Invocation.ts"
import type { Written } from "../request.ts"

export type Items = Stream.Stream<SseItem, BrokenStream>

/** Why a stream could not be opened again. */
export interface NotOpened {
  readonly message: string
  readonly status?: number
  readonly code?: string
  readonly retryAfter?: number
}

/** The first connection of a stream, and how to make another one. */
export interface Connections {
  readonly invocation: Invocation
  readonly request: Written
  readonly head: Head
  readonly reading: Reading
  readonly items: Items
  readonly open: (invocation: Invocation, request: Written) => Effect.Effect<Items, NotOpened>
  readonly closeUnread: (invocation: Invocation) => Effect.Effect<void, never, Scope>
}

/** What `streaming` asks of a `Resumable`. */
export interface Resuming extends Resumable {
  /** A function was called. From now on there is a token, so that it can be stored before anything is sent. */
  readonly prepare: (operation: string, input: unknown, options: CallOptions) => void
  /** The options with the key of the token. Of a stream that is run again, without. */
  readonly keyed: (options: CallOptions) => CallOptions
  /** The scope of the stream is closed. If that was to abort it, it is canceled at the gateway too. */
  readonly closed: (exit: Exit.Exit<unknown, unknown>, invocation: Invocation) => Effect.Effect<void>
  /** A stream is about to be requested under this key. Returns the headers to add. */
  readonly begin: (invocation: Invocation, idempotencyKey: string) => Readonly<Record<string, string>>
  /** The request id of the call, which every answer of its stream names. That of a request that goes on with it is another. */
  readonly callId: (invocation: Invocation, head: Head) => string | undefined
  /** The items of all connections, each once. */
  readonly follow: (connections: Connections) => Items
}
