import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Gateway } from "@tollgate/gateway/call/Gateway"
import type { Authenticated } from "@tollgate/gateway/exchange/Exchange"
import type { TraceContext } from "@tollgate/gateway/observe/trace/TraceContext"
import type { ToolCatalogue } from "./ToolCatalogue.ts"

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

/** Tells the client how far a call is. Does nothing if the client did not ask for it. */
export interface Progress {
  readonly isWanted: boolean
  /** `done` grows from report to report. */
  readonly report: (done: number, message: string, total?: number) => Effect.Effect<void>
}

export const silent: Progress = { isWanted: false, report: () => Effect.void }

export const tokenIn = (metadata: unknown): string | number | undefined => {
  if (typeof metadata !== "object" || metadata === null || !("progressToken" in metadata)) return undefined
  const { progressToken } = metadata
  return typeof progressToken === "string" || typeof progressToken === "number" ? progressToken : undefined
}

/** Sends a message to the client while its call runs. */
export type Send = (message: object) => Effect.Effect<void>

/** The progress of a call, under the token that its message names. */
export const progressTo = (send: Send | undefined, metadata: unknown): Progress => {
  const progressToken = tokenIn(metadata)
  if (send === undefined || progressToken === undefined) return silent
  return {
    isWanted: true,
    report: (progress, message, total) =>
      send({
        method: "notifications/progress",
        params: { progressToken, progress, ...(total === undefined ? {} : { total }), message }
      })
  }
}

/** A page that a client shows its person. */
export interface ShownPage {
  readonly id: string
  readonly url: string
  readonly message: string
}

/** Asks the client for something instead of answering its call. It then sends the call again, with `requestState`. */
export interface Question {
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params: object }>>
  readonly requestState: string
}

/** What the message of a tool call says beside the tool and its input. */
export interface CallMessage {
  /** The revision of MCP that it is written in. */
  readonly revision: string
  readonly metadata: unknown
  readonly progress: Progress
  /** Whether the answer may be a task, which the client then polls. */
  readonly takesTasks: boolean
  /** What the client was given with a question, if it sends the call again. */
  readonly requestState?: unknown
  readonly inputResponses?: unknown
  /** Has the client of a session show a page. Returns whether it does; it fails if it cannot. */
  readonly showPage?: ((page: ShownPage) => Effect.Effect<"accept" | "decline" | "cancel", unknown>) | undefined
}

/** Whether a program asks in `_meta` for structured content. Models do not need it, so no tool's schema has it. */
export const asksForStructure = (metadata: unknown): boolean =>
  Predicate.hasProperty(metadata, "tollgate/structured") && metadata["tollgate/structured"] === true
