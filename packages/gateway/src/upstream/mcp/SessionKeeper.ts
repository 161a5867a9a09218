import type { McpClientError } from "effect/ai/McpClientError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { HttpClient } from "effect/http/HttpClient"
import * as Option from "effect/Option"
import type { Provider } from "../Provider.ts"
import { carriedClient, type Carry } from "./carriedClient.ts"
import { begin, type OnList, type Revision, type Session } from "./Session.ts"
import type { LeftOutTool } from "./toolList.ts"

/** A line of the log names no more tools than this. */
const mostTold = 20

/** A session and the calls that use it. */
interface Held {
  readonly begun: Deferred.Deferred<Session, McpClientError>
  calls: number
  /** No new call uses it. It is closed when its calls have ended. */
  isOver: boolean
}

/** Keeps one session for all calls to an MCP server: it begins with the first, and begins anew when the server forgot it. */
export class SessionKeeper {
  readonly #provider: Provider
  readonly #http: HttpClient
  #carry: Carry | undefined
  #held: Held | undefined
  #revision: Revision | undefined
  #leftOut: ReadonlyArray<LeftOutTool> = []
  #told = ""
  #isClosed = false

  constructor(provider: Provider) {
    this.#provider = provider
    this.#http = carriedClient(provider, () => this.#carry ?? (() => Effect.never))
  }

  /** The tools that cannot be called, of the latest list. */
  get leftOut(): ReadonlyArray<LeftOutTool> {
    return this.#leftOut
  }

  /** Uses the session. `forget` makes the next call begin another one. */
  use<A, E>(
    carry: Carry,
    effect: (session: Session, forget: () => void) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | McpClientError> {
    return Effect.suspend(() => {
      this.#carry = carry
      const held = this.#held
      return held === undefined
        ? Effect.flatMap(this.#begin, (begun) => this.#useHeld(begun, effect))
        : this.#useHeld(held, effect)
    })
  }

  #useHeld<A, E>(held: Held, effect: (session: Session, forget: () => void) => Effect.Effect<A, E>) {
    return Effect.suspend(() => {
      held.calls++
      return Effect.ensuring(
        Effect.flatMap(Deferred.await(held.begun), (session) => effect(session, () => this.#forget(held))),
        Effect.suspend(() => {
          held.calls--
          return this.#closeUnused(held)
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
    const held = this.#held
    if (held === undefined) return Effect.void
    this.#forget(held)
    return this.#closeUnused(held)
  })

  /** In a fiber of its own: the caller who is first may leave while others wait. */
  readonly #begin: Effect.Effect<Held> = Effect.suspend(() => {
    const held: Held = { begun: Deferred.makeUnsafe(), calls: 0, isOver: this.#isClosed }
    if (!this.#isClosed) this.#held = held
    const beginning = Effect.onExit(begin(this.#provider, this.#http, this.#revision, this.#onList), (exit) => {
      if (Exit.isSuccess(exit)) this.#revision = exit.value.revision
      else {
        this.#revision = undefined
        this.#forget(held)
      }
      return Effect.andThen(Deferred.done(held.begun, exit), this.#closeUnused(held))
    })
    return Effect.as(Effect.forkDetach(Effect.interruptible(beginning)), held)
  })

  #forget(held: Held): void {
    held.isOver = true
    if (this.#held === held) this.#held = undefined
  }

  #closeUnused(held: Held): Effect.Effect<void> {
    return held.isOver && held.calls === 0
      ? Effect.flatMap(Deferred.poll(held.begun), (exit) =>
          Option.isNone(exit) ? Effect.void : Effect.ignore(Effect.flatMap(exit.value, ({ close }) => close))
        )
      : Effect.void
  }
}
