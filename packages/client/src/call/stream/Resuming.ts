import type { Reading } from "../../events/Event.ts"
import type * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Client } from "../../Client.ts"
import type { LeftCharge, Resumable } from "../../options/CallOptions.ts"
import type { OnCharge } from "../../events/read.ts"
import type { Head } from "@tollgate/contract/carrier/Carrier"
import type * as Stream from "effect/Stream"
import type { BrokenStream } from "../../events/errors.ts"
import type { SseItem } from "../../events/sse/parser.ts"
import type { Invocation } from "../Invocation.ts"
import type { Written } from "../request.ts"

/** What `streaming` asks of a `LeftCharge`. */
export interface LearnsCharge extends LeftCharge {
  /** If the charge was not told when the scope closes, it asks for it, and tells it. Returns how to tell it before. */
  readonly atEnd: (requestId: string | undefined, onCharge: OnCharge) => Effect.Effect<OnCharge, never, Client | Scope>
}

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
  /** A stream is about to be requested under this key. Returns the headers to add. */
  readonly begin: (invocation: Invocation, idempotencyKey: string) => Readonly<Record<string, string>>
  /** The request id of the call, which every answer of its stream names. That of a request that goes on with it is another. */
  readonly callId: (invocation: Invocation, head: Head) => string | undefined
  /** The items of all connections, each once. */
  readonly follow: (connections: Connections) => Items
}
