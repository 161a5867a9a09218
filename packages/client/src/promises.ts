import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Client } from "./Client.ts"

type Functions = Readonly<Record<string, (input: never) => Effect.Effect<unknown, unknown, Client>>>

export interface CallOptions {
  /** Aborting stops the call and closes its connection. */
  readonly signal?: AbortSignalLike
}

/** As much of the platform's `AbortSignal` as is needed here. */
export type AbortSignalLike = NonNullable<NonNullable<Parameters<typeof Effect.runPromise>[1]>["signal"]>

export type Promises<F extends Functions> = {
  readonly [K in keyof F]: F[K] extends (input: infer I) => Effect.Effect<infer A, infer _E, Client>
    ? (input: I, options?: CallOptions) => Promise<A>
    : never
} & {
  /** Closes the connections. */
  readonly close: () => Promise<void>
}

/** The same functions for programs without Effect: they return promises and reject with the same errors. */
export const promises = <const F extends Functions>(functions: F, layer: Layer.Layer<Client>): Promises<F> => {
  const runtime = ManagedRuntime.make(layer)
  const run = async (effect: Effect.Effect<unknown, unknown, Client>, options?: CallOptions) => {
    const exit = await runtime.runPromiseExit(effect, options)
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.squash(exit.cause)
  }
  return {
    ...Object.fromEntries(
      Object.entries(functions).map(([name, f]) => [
        name,
        (input: never, options?: CallOptions) => run(f(input), options)
      ])
    ),
    close: () => runtime.dispose()
  } as Promises<F>
}
