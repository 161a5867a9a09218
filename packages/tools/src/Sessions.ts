import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import type { CallMessage, Send } from "./Caller.ts"
import type { Message } from "./messages.ts"

export interface Most {
  /** Of one owner. Beyond it, the session that was idle the longest ends. */
  readonly perOwner: number
  readonly inAll: number
}

/** A call that runs in a session and can be cancelled by the id of its message. */
interface RunningCall {
  readonly id: string | number
  readonly fiber: Fiber.Fiber<unknown, unknown>
}

export class Session {
  readonly owner: string
  /** The revision of MCP that was agreed on. */
  readonly revision: string
  readonly showsPages: boolean
  readonly #running: Array<RunningCall> = []
  /** The questions to the client that are open, by id. */
  readonly #asked = new Map<string, Deferred.Deferred<unknown>>()
  #lastAsked = 0
  hasEnded = false

  constructor(owner: string, revision: string, showsPages: boolean) {
    this.owner = owner
    this.revision = revision
    this.showsPages = showsPages
  }

  /** Until the fiber ends, the call can be cancelled. */
  started(id: string | number, fiber: Fiber.Fiber<unknown, unknown>): void {
    const call = { id, fiber }
    this.#running.push(call)
    fiber.addObserver(() => void this.#running.splice(this.#running.indexOf(call), 1))
  }

  /** Takes a cancellation, or the answer to a question. */
  hear({ id, kind, method, params, result }: Message): void {
    const { reason, requestId } = params
    const isValid = reason === undefined || typeof reason === "string"
    if (kind === "notification" && method === "notifications/cancelled" && isValid) {
      this.#running.find((call) => call.id === requestId)?.fiber.interruptUnsafe()
    }
    const asked = kind === "answer" ? this.#asked.get(String(id)) : undefined
    if (asked !== undefined) Deferred.doneUnsafe(asked, Effect.succeed(result))
  }

  /** Has the client show a page, by a message among those of a call. */
  readonly showPage =
    (send: Send): CallMessage["showPage"] =>
    ({ id: elicitationId, message, url }) =>
      Effect.suspend(() => {
        const id = `page-${++this.#lastAsked}`
        const asked = Deferred.makeUnsafe<unknown>()
        this.#asked.set(id, asked)
        const params = { mode: "url", elicitationId, url, message }
        return Effect.ensuring(
          Effect.andThen(
            send({ id, method: "elicitation/create", params }),
            Effect.flatMap(Deferred.await(asked), (answer) => {
              const action = Predicate.hasProperty(answer, "action") ? answer.action : undefined
              return action === "accept" || action === "decline" || action === "cancel"
                ? Effect.succeed<"accept" | "decline" | "cancel">(action)
                : Effect.fail("the client cannot show a page")
            })
          ),
          Effect.sync(() => this.#asked.delete(id))
        )
      })

  end(): void {
    this.hasEnded = true
    for (const { fiber } of this.#running.slice()) fiber.interruptUnsafe()
  }
}

/** Whose session is which, for the revisions with sessions. Bounded: a client need not end a session. */
export class Sessions {
  readonly #most: Most
  /** By session id. The most recently used is last. */
  readonly #all = new Map<string, Session>()
  /** By owner; the most recently used is last. */
  readonly #byOwner = new Map<string, Set<string>>()

  constructor(most: Most) {
    this.#most = most
  }

  get size(): number {
    return this.#all.size
  }

  /** The session, if it is this owner's. It is then used now. */
  use(id: string, owner: string): Session | undefined {
    const session = this.#all.get(id)
    if (session?.owner !== owner) return undefined
    this.#all.delete(id)
    this.#all.set(id, session)
    const own = this.#byOwner.get(owner)
    own?.delete(id)
    own?.add(id)
    return session
  }

  /** Adds a session. Another may have to end for it. */
  add(id: string, owner: string, revision: string, showsPages = false): void {
    const own = this.#byOwner.get(owner) ?? new Set()
    this.#byOwner.set(owner, own.add(id))
    this.#all.set(id, new Session(owner, revision, showsPages))
    const { inAll, perOwner } = this.#most
    const oldest = own.size > perOwner ? own : this.#all.size > inAll ? this.#all : undefined
    const ended = oldest?.keys().next().value
    if (ended !== undefined) this.remove(ended)
  }

  remove(id: string): void {
    const session = this.#all.get(id)
    if (session === undefined) return
    session.end()
    this.#all.delete(id)
    const own = this.#byOwner.get(session.owner)
    own?.delete(id)
    if (own?.size === 0) this.#byOwner.delete(session.owner)
  }
}
