import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Client } from "./Client.ts"
import { withSettings } from "./settings.ts"

type Functions = Readonly<Record<string, (input: never) => Effect.Effect<unknown, unknown, Client>>>

export interface CallOptions {
  /** Aborting stops the call and closes its connection. */
  readonly signal?: AbortSignalLike
  /** Instead of one of the client's own: the same key and input get the stored answer and are not charged again. */
  readonly idempotencyKey?: string
  /** The most that the call may cost, in decimal USD. One that can cost more is refused before any spend. */
  readonly maxPrice?: string
}

/** As much of the platform's `AbortSignal` as is needed here. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason: unknown
  readonly addEventListener: (type: "abort", listener: () => void, options?: { readonly once: boolean }) => void
  readonly removeEventListener: (type: "abort", listener: () => void) => void
}

export type Promises<F extends Functions> = {
  readonly [K in keyof F]: F[K] extends (input: infer I) => Effect.Effect<infer A, infer _E, Client>
    ? (input: I, options?: CallOptions) => Promise<A>
    : never
} & {
  /** Closes the connections. */
  readonly close: () => Promise<void>
}

const throwIfAborted = (signal: AbortSignalLike | undefined): void => {
  if (signal?.aborted === true) throw signal.reason
}

/** The same functions for programs without Effect: they return promises and reject with the same errors. */
export const promises = <const F extends Functions>(functions: F, layer: Layer.Layer<Client>): Promises<F> => {
  const runtime = ManagedRuntime.make(layer)
  let closed = false
  const run = async (
    effect: Effect.Effect<unknown, unknown, Client>,
    { signal, ...settings }: CallOptions = {}
  ): Promise<unknown> => {
    if (closed) throw new Error("The client is closed")
    // Before the first step: a fiber would send the request before it hears of the signal.
    throwIfAborted(signal)
    const exit = await runtime.runPromiseExit(
      withSettings(settings)(effect),
      signal === undefined ? undefined : { signal }
    )
    if (Exit.isSuccess(exit)) return exit.value
    // As `fetch` does: an aborted call rejects with the signal's own reason.
    if (Cause.hasInterruptsOnly(exit.cause)) throwIfAborted(signal)
    if (closed && Cause.hasInterruptsOnly(exit.cause)) throw new Error("The client was closed during the call")
    throw Cause.squash(exit.cause)
  }
  return {
    ...Object.fromEntries(
      Object.entries(functions).map(([name, f]) => [
        name,
        (input: never, options?: CallOptions) => run(f(input), options)
      ])
    ),
    close: () => {
      closed = true
      return runtime.dispose()
    }
  } as Promises<F>
}
