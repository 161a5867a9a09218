import * as Effect from "effect/Effect"

const leastQueue = 64

type State = "waiting" | "connected" | "over"

/**
 * The connections to one upstream. If all are busy, calls wait in a queue for each key, and the keys take turns. A full queue
 * refuses the key with the most waiting calls.
 */
export class Connections {
  readonly #limit: number
  readonly #maxPerKey: number
  readonly #maxWaiting: number
  #busy = 0
  #waiting = 0
  /** The next key to be served comes first. No queue is empty. */
  readonly #queues = new Map<string, Array<Slot>>()

  constructor(limit: number) {
    this.#limit = limit
    this.#maxPerKey = Math.max(leastQueue, limit)
    this.#maxWaiting = 4 * this.#maxPerKey
  }

  get limit(): number {
    return this.#limit
  }

  get busy(): number {
    return this.#busy
  }

  get waiting(): number {
    return this.#waiting
  }

  /** `undefined`: all connections are busy, and so many calls wait that this one is refused. */
  enter(key: string): Slot | undefined {
    if (this.#busy < this.#limit) {
      this.#busy++
      return new Slot(this, key, "connected")
    }
    const own = this.#queues.get(key)
    const ownLength = own?.length ?? 0
    if (ownLength >= this.#maxPerKey) return undefined
    if (this.#waiting >= this.#maxWaiting && !this.#dropFromLongest(ownLength)) return undefined
    const call = new Slot(this, key, "waiting")
    if (own === undefined) this.#queues.set(key, [call])
    else own.push(call)
    this.#waiting++
    return call
  }

  /** The connection goes to the next waiting call. */
  release(): void {
    const next = this.#queues.entries().next()
    if (next.done === true) {
      this.#busy--
      return
    }
    const [key, queue] = next.value
    const call = queue.shift()
    this.#waiting--
    this.#queues.delete(key)
    if (queue.length > 0) this.#queues.set(key, queue)
    call?.resume("connected")
  }

  leave(call: Slot): void {
    const queue = this.#queues.get(call.key) ?? []
    const at = queue.indexOf(call)
    if (at === -1) return
    queue.splice(at, 1)
    this.#waiting--
    if (queue.length === 0) this.#queues.delete(call.key)
  }

  /** Takes the last place of the longest queue, if that is longer than the newcomer's would be. */
  #dropFromLongest(length: number): boolean {
    let longest: Array<Slot> = []
    for (const queue of this.#queues.values()) if (queue.length > longest.length) longest = queue
    if (longest.length <= length + 1) return false
    const last = longest.pop()
    this.#waiting--
    last?.resume("over")
    return true
  }
}

/** One call's use of a connection, or its place in the queue for one. */
export class Slot {
  readonly #connections: Connections
  readonly key: string
  #state: State
  #resume: (() => void) | undefined

  constructor(connections: Connections, key: string, state: State) {
    this.#connections = connections
    this.key = key
    this.#state = state
  }

  get hasConnection(): boolean {
    return this.#state === "connected"
  }

  /** Waits for the connection. `false`: another key's call took the place in the queue. */
  get connection(): Effect.Effect<boolean> {
    return Effect.callback((resume) => {
      this.#resume = () => resume(Effect.succeed(this.hasConnection))
      if (this.#state !== "waiting") this.#resume()
    })
  }

  resume(state: "connected" | "over"): void {
    this.#state = state
    this.#resume?.()
  }

  /** Gives the connection, or the place in the queue, back. More than once does nothing. */
  end(): void {
    const state = this.#state
    this.#state = "over"
    if (state === "connected") this.#connections.release()
    else if (state === "waiting") this.#connections.leave(this)
  }
}
