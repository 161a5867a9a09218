import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Authenticated } from "../../exchange/Exchange.ts"
import type { Gateway } from "../../call/Gateway.ts"
import type { TraceContext } from "../../observe/trace/TraceContext.ts"
import type { ToolCatalogue } from "./catalogue/Index.ts"

/** The tool calls that one HTTP request started. They run in fibers of their own. */
export class CallsInFlight {
  #running = 0
  #ended: Deferred.Deferred<void> | undefined

  get running(): number {
    return this.#running
  }

  readonly track = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      this.#running++
      return Effect.ensuring(
        call,
        Effect.sync(() => {
          this.#running--
          if (this.#running === 0 && this.#ended !== undefined) Deferred.doneUnsafe(this.#ended, Effect.void)
        })
      )
    })

  /** Waits for all of them, so that a shutdown waits for calls whose caller has left. */
  readonly ended: Effect.Effect<void> = Effect.suspend(() =>
    this.#running === 0 ? Effect.void : Deferred.await((this.#ended ??= Deferred.makeUnsafe()))
  )
}

/** Who calls a tool. */
export interface Caller {
  /** The gateway in force when the request began. */
  readonly gateway: Gateway
  /** Made for the first who needs it. */
  readonly catalogue: Effect.Effect<ToolCatalogue>
  readonly authenticated: Authenticated
  readonly calls: CallsInFlight
  /** The trace that the HTTP request names, or the span of the tool call. */
  readonly trace?: TraceContext | undefined
}
