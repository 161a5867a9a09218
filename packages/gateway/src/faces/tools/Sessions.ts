import type * as Fiber from "effect/Fiber"

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
  /** Whether the client can show its person a page. */
  readonly showsPages: boolean
  readonly #running: Array<RunningCall> = []
  #hasEnded = false

  constructor(owner: string, revision: string, showsPages: boolean) {
    this.owner = owner
    this.revision = revision
    this.showsPages = showsPages
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Until the fiber ends, the call can be cancelled. */
  started(id: string | number, fiber: Fiber.Fiber<unknown, unknown>): void {
    const call = { id, fiber }
    this.#running.push(call)
    fiber.addObserver(() => void this.#running.splice(this.#running.indexOf(call), 1))
  }

  cancel(id: unknown): void {
    this.#running.find((call) => call.id === id)?.fiber.interruptUnsafe()
  }

  end(): void {
    this.#hasEnded = true
    for (const { fiber } of this.#running.slice()) fiber.interruptUnsafe()
  }
}

/**
 * Whose session is which, for the revisions with sessions. Bounded: the MCP server itself keeps a session until it is
 * told to end it.
 */
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

  /** Adds a session. Returns the one that has to end for it, if any. */
  add(id: string, owner: string, revision: string, showsPages = false): string | undefined {
    const own = this.#byOwner.get(owner) ?? new Set()
    this.#byOwner.set(owner, own.add(id))
    this.#all.set(id, new Session(owner, revision, showsPages))
    const { inAll, perOwner } = this.#most
    const oldest = own.size > perOwner ? own : this.#all.size > inAll ? this.#all : undefined
    const ended = oldest?.keys().next().value
    if (ended === undefined) return undefined
    this.remove(ended)
    return ended
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
