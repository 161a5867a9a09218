export interface Most {
  /** Of one owner. Beyond it, the session that was idle the longest ends. */
  readonly perOwner: number
  readonly inAll: number
}

/**
 * Whose session is which, for the revisions with sessions. Bounded: the MCP server itself keeps a session until it is
 * told to end it.
 */
export class Sessions {
  readonly #most: Most
  /** By session id. The most recently used is last. */
  readonly #owners = new Map<string, string>()
  /** By owner; the most recently used is last. */
  readonly #byOwner = new Map<string, Set<string>>()

  constructor(most: Most) {
    this.#most = most
  }

  get size(): number {
    return this.#owners.size
  }

  /** Whether the session is this owner's. It is then used now. */
  use(id: string, owner: string): boolean {
    if (this.#owners.get(id) !== owner) return false
    this.#owners.delete(id)
    this.#owners.set(id, owner)
    const own = this.#byOwner.get(owner)
    own?.delete(id)
    own?.add(id)
    return true
  }

  /** Adds a session. Returns the one that has to end for it, if any. */
  add(id: string, owner: string): string | undefined {
    const own = this.#byOwner.get(owner) ?? new Set()
    this.#byOwner.set(owner, own.add(id))
    this.#owners.set(id, owner)
    const { inAll, perOwner } = this.#most
    const oldest = own.size > perOwner ? own : this.#owners.size > inAll ? this.#owners : undefined
    const ended = oldest?.keys().next().value
    if (ended === undefined) return undefined
    this.remove(ended)
    return ended
  }

  remove(id: string): void {
    const owner = this.#owners.get(id)
    if (owner === undefined) return
    this.#owners.delete(id)
    const own = this.#byOwner.get(owner)
    own?.delete(id)
    if (own?.size === 0) this.#byOwner.delete(owner)
  }
}
