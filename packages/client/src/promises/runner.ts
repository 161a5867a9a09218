import type { AbortSignalLike, Promised } from "./Promises.ts"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Client } from "../Client.ts"
import * as Trace from "../call/trace.ts"
import { CallAborted } from "./CallAborted.ts"

/** Where a promise client, and each of its functions, keeps what runs an effect on it: for helpers that bundlers drop if unused. */
export const onClient: unique symbol = Symbol.for("@tollgate/client/onClient")

/** A client from `createClient` or `promises`. */
export interface AnyPromiseClient {
  readonly close: () => Promise<void>
}

interface Runs {
  readonly [onClient]: Promised
}

const made = new WeakSet<Promised>()

/** What a client and its functions have at `onClient`. */
export const runs = (promised: Promised): Runs => {
  made.add(promised)
  return { [onClient]: promised }
}

/** Throws for a client of another copy of this package: its fibers would run effects of another version, for paid calls. */
export const isPromiseClient = (value: object): value is AnyPromiseClient & Runs => {
  if (!(onClient in value)) return false
  if (made.has(value[onClient] as Promised)) return true
  throw new TypeError(
    "This client is of another copy of @tollgate/client. Import createClient and this function from one package, such as @tollgate/node, or both from @tollgate/node/effect and @tollgate/client"
  )
}

export type OnFiberStart = (fiber: Fiber.Fiber<unknown, unknown>) => void

interface Circumstances {
  readonly signal: AbortSignalLike | undefined
  /** An error made at the call site, for streams, which are awaited elsewhere. */
  readonly site?: Error | undefined
  readonly onFiberStart: OnFiberStart | undefined
  /** Filled by the call, for whoever wants to read it afterwards. */
  readonly trace?: Trace.Trace
}

export interface Runner {
  readonly run: <A>(effect: Effect.Effect<A, unknown, Client>, circumstances: Circumstances) => Promise<A>
  readonly close: () => Promise<void>
}

/** Appends the caller's stack: the error was made where the answer was read. */
const pointTo = (error: unknown, { stack = "" }: Error): void => {
  if (error instanceof Error) error.stack = `${error.stack ?? ""}\n${stack.slice(stack.indexOf("\n") + 1)}`
}

/** Runs effects on one client, which is built for the first of them. It is a small `ManagedRuntime`. */
export const runner = (layer: Layer.Layer<Client>): Runner => {
  const scope = Scope.makeUnsafe("sequential")
  const clientScope = Scope.forkUnsafe(scope, "sequential")
  /** Closed first: the calls end before the connections do. */
  const callScope = Scope.forkUnsafe(scope, "parallel")
  let building: Promise<Context.Context<Client>> | undefined
  let built: Context.Context<Client> | undefined
  let isClosed = false
  return {
    run: async (effect, { onFiberStart, signal, site, trace = Trace.make() }) => {
      built ??= await (building ??= Effect.runPromise(Layer.buildWithScope(layer, clientScope)))
      // A fiber would send the request before it sees that the signal is aborted or the client closed.
      trace.aborted = isClosed || signal?.aborted === true
      trace.isCanceled ??= () => signal?.aborted === true
      const exit = await Effect.runPromiseExitWith(built)(Effect.provideService(effect, Trace.Trace, trace), {
        ...(signal === undefined ? {} : { signal }),
        onFiberStart: (fiber) => {
          Fiber.runIn(fiber, callScope)
          onFiberStart?.(fiber)
        }
      })
      if (Exit.isSuccess(exit)) return exit.value
      if (Cause.hasInterruptsOnly(exit.cause)) {
        const isAborted = signal?.aborted === true
        const message = isClosed && !isAborted ? "The client is closed" : undefined
        throw new CallAborted(trace, isAborted ? signal.reason : undefined, message)
      }
      const error = Cause.squash(exit.cause)
      // After the await the engine knows the async callers; a stack for each call would cost as much as its request.
      if (Cause.hasFails(exit.cause)) pointTo(error, site ?? new Error())
      throw error
    },
    close: () => {
      isClosed = true
      return Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
