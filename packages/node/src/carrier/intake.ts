import { isReadonlyArrayNonEmpty, type NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** How to hold back whoever is sending the bytes. */
export interface Valve {
  readonly pause: () => void
  readonly resume: () => void
  /** The reader was interrupted, or left the stream before its end. */
  readonly leave?: () => void
}

type Pieces<E> = Pull.Pull<NonEmptyReadonlyArray<Uint8Array>, E>

const highWater = 64 * 1024

/**
 * Bytes that arrive by events, read either as a stream, which holds the sender back while nobody pulls, or as a whole.
 * The whole is kept, so it can be asked for more than once.
 */
export class Intake<E> {
  readonly #valve: Valve
  #chunks: Array<Uint8Array> = []
  #size = 0
  #paused = false
  #wanted = false
  #closed: Exit.Exit<void, E> | undefined
  #whole: Exit.Exit<Uint8Array, E> | undefined
  #waiters: Array<() => void> = []
  #onClosed: (() => void) | undefined

  constructor(valve: Valve) {
    this.#valve = valve
  }

  offer(chunk: Uint8Array): void {
    if (this.#closed !== undefined) return
    this.#chunks.push(chunk)
    this.#size += chunk.byteLength
    if (this.#wanted) return
    if (this.#size >= highWater && !this.#paused) {
      this.#paused = true
      this.#valve.pause()
    }
    this.#wake()
  }

  close(exit: Exit.Exit<void, E>): void {
    if (this.#closed !== undefined) return
    this.#closed = exit
    this.#wake()
    this.#onClosed?.()
  }

  /** Without a fiber to wait in; for one. */
  whenClosed(then: () => void): void {
    if (this.#closed === undefined) this.#onClosed = then
    else then()
  }

  /** At hand without a wait once the last of it has come. */
  get bytes(): Effect.Effect<Uint8Array, E> {
    if (this.#whole !== undefined) return this.#whole
    return this.#closed === undefined ? this.#awaited : this.#gather(this.#closed)
  }

  readonly #awaited: Effect.Effect<Uint8Array, E> = Effect.suspend(() => {
    this.#wanted = true
    if (this.#whole !== undefined || this.#closed !== undefined) return this.bytes
    this.#open()
    return Effect.flatMap(this.#arrival, () => this.bytes)
  })

  #gather(closed: Exit.Exit<void, E>): Exit.Exit<Uint8Array, E> {
    const whole = Exit.map(closed, () => join(this.#chunks, this.#size))
    this.#whole = whole
    this.#chunks = []
    return whole
  }

  get stream(): Stream.Stream<Uint8Array, E> {
    return Stream.suspend(() => {
      if (this.#whole !== undefined) return Stream.fromEffect(this.#whole)
      const leave = this.#valve.leave
      if (leave === undefined) return Stream.fromPull(Effect.succeed(this.#pull))
      return Stream.fromChannel(
        Channel.fromTransform((_, scope) => Effect.as(Scope.addFinalizer(scope, Effect.sync(leave)), this.#pull))
      )
    })
  }

  /** In one step, since every piece of every stream goes this way. */
  get #pull(): Pieces<E> {
    return Effect.callback((resume) => {
      const take = () => {
        const chunks = this.#chunks
        if (!isReadonlyArrayNonEmpty(chunks)) {
          const closed = this.#closed
          return resume(closed?._tag === "Failure" ? Effect.failCause(closed.cause) : Cause.done())
        }
        this.#chunks = []
        this.#size = 0
        this.#open()
        resume(Effect.succeed(chunks))
      }
      return this.#chunks.length > 0 || this.#closed !== undefined ? take() : this.#whenWoken(take)
    })
  }

  get #arrival(): Effect.Effect<void> {
    return Effect.callback((resume) => this.#whenWoken(() => resume(Effect.void)))
  }

  /** Gives what takes back the wish, and tells that the reader has gone. */
  #whenWoken(waiter: () => void): Effect.Effect<void> {
    this.#waiters.push(waiter)
    return Effect.sync(() => {
      this.#waiters = this.#waiters.filter((other) => other !== waiter)
      this.#valve.leave?.()
    })
  }

  #open(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#valve.resume()
  }

  #wake(): void {
    const waiters = this.#waiters
    if (waiters.length === 0) return
    this.#waiters = []
    for (const waiter of waiters) waiter()
  }
}

const join = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  const out = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    out.set(chunk, offset)
    offset += chunk.byteLength
  }
  return out
}

/** A buffer of its own: what arrived may be a part of a larger one. */
export const toArrayBuffer = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer
