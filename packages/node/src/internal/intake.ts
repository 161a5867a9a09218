import { isReadonlyArrayNonEmpty, type NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"

/** How to hold back whoever is sending the bytes. */
export interface Valve {
  readonly pause: () => void
  readonly resume: () => void
  /** The reader was interrupted, or left the stream before its end. */
  readonly leave?: () => void
}

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
    return Effect.flatMap(this.#arrival(), () => this.bytes)
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
      const stream = Stream.fromPull(Effect.succeed(this.#pull()))
      const leave = this.#valve.leave
      return leave === undefined ? stream : Stream.ensuring(stream, Effect.sync(leave))
    })
  }

  #pull(): Pull.Pull<NonEmptyReadonlyArray<Uint8Array>, E> {
    return Effect.suspend(() => {
      const chunks = this.#chunks
      if (isReadonlyArrayNonEmpty(chunks)) {
        this.#chunks = []
        this.#size = 0
        this.#open()
        return Effect.succeed(chunks)
      }
      return this.#closed === undefined
        ? Effect.flatMap(this.#arrival(), () => this.#pull())
        : Effect.flatMap(this.#closed, () => Cause.done())
    })
  }

  #arrival(): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const waiter = () => resume(Effect.void)
      this.#waiters.push(waiter)
      return Effect.sync(() => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter)
        this.#valve.leave?.()
      })
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
