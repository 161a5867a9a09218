import type { McpClientError } from "effect/ai/McpClientError"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as RcRef from "effect/RcRef"
import * as Scope from "effect/Scope"
import type { Provider } from "../Provider.ts"
import { carriedClient, type Carry } from "./carriedClient.ts"
import { begin, type OnList, type Revision, type Session } from "./Session.ts"
import type { LeftOutTool } from "./toolList.ts"

/** A line of the log names no more tools than this. */
const mostTold = 20

/** Keeps one session for all calls to an MCP server: it begins with the first, and begins anew when the server forgot it. */
export class SessionKeeper {
  readonly #provider: Provider
  readonly #http: HttpClient
  readonly #ref: RcRef.RcRef<Session, McpClientError>
  #carry: Carry | undefined
  #current: Session | undefined
  #revision: Revision | undefined
  #leftOut: ReadonlyArray<LeftOutTool> = []
  #told = ""
  #isClosed = false

  constructor(provider: Provider) {
    this.#provider = provider
    this.#http = carriedClient(provider, () => this.#carry ?? (() => Effect.never))
    const acquire = Effect.suspend(() => begin(provider, this.#http, this.#revision, this.#onList)).pipe(
      Effect.tapError(() => Effect.sync(() => (this.#revision = undefined))),
      Effect.tap((session) =>
        Effect.sync(() => {
          this.#current = session
          this.#revision = session.revision
        })
      )
    )
    // A session ends when it is invalidated and its last call has ended, so the scope of all is never closed.
    this.#ref = Effect.runSync(
      Effect.provideService(RcRef.make({ acquire, idleTimeToLive: Infinity }), Scope.Scope, Scope.makeUnsafe())
    )
  }

  /** The tools that cannot be called, of the latest list. */
  get leftOut(): ReadonlyArray<LeftOutTool> {
    return this.#leftOut
  }

  /** Uses the session. `forget` makes the next call begin another one. */
  use<A, E>(
    carry: Carry,
    effect: (session: Session, forget: Effect.Effect<void>) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | McpClientError> {
    return Effect.suspend(() => {
      this.#carry = carry
      return Effect.scoped(
        Effect.flatMap(RcRef.get(this.#ref), (session) => {
          const forget = Effect.suspend(() => (this.#current === session ? RcRef.invalidate(this.#ref) : Effect.void))
          return Effect.andThen(this.#isClosed ? forget : Effect.void, effect(session, forget))
        })
      )
    })
  }

  /** A list that is read again is told only if what is left out of it changed. */
  readonly #onList: OnList = ({ leftOut }) => {
    this.#leftOut = leftOut
    const tools = leftOut.slice(0, mostTold).map(({ name, reason }) => `${JSON.stringify(name)} ${reason}`)
    const before = this.#told
    this.#told = tools.join("\n")
    return this.#told === before
      ? Effect.void
      : Effect.logWarning("tools of an MCP server are left out", {
          upstream: this.#provider.name,
          count: leftOut.length,
          tools
        })
  }

  /** No session is kept from now on. One that is in use is closed after its last call. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.#isClosed = true
    return RcRef.invalidate(this.#ref)
  })
}
