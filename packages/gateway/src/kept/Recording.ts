import { isReadonlyArrayNonEmpty, type NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

type Chunks = NonEmptyReadonlyArray<Uint8Array>

/** Who reads a recording, and how far it has got. */
interface Reader {
  position: number
}

/**
 * An SDK repeats a request only before it has seen the head of the answer. So a stream whose reader left soon after its first
 * byte waits for the repeat, without reading on. Longer than the first pauses of the SDKs.
 */
const soonMillis = 5_000
const waitMillis = 2_500

/** Is told what a recording holds. */
export interface Keeper {
  /** So many bytes were added. */
  readonly grew: (bytes: number) => void
  /** Nobody can read it from the beginning any more. */
  readonly isLost: () => void
}

/**
 * A stream that is read while it arrives, and again from its beginning while all of it is in memory. It is pulled when a reader
 * wants more, and closed when it has ended or when all readers have left.
 */
export class Recording<E> {
  #chunks: Array<Uint8Array> = []
  /** The position of the first chunk that is in memory. */
  #first = 0
  #end: Cause.Cause<E | Cause.Done<void>> | undefined
  #isDropped = false
  #startedAt: number | undefined
  readonly #readers = new Set<Reader>()
  /** Counts who comes and goes, so that a wait for a repeat ends if one came. */
  #visits = 0
  #wakePump: (() => void) | undefined
  #waiting: Array<() => void> = []
  #pump: Fiber.Fiber<void> | undefined
  readonly #keeper: Keeper
  readonly #clock: Clock.Clock
  /** In which the stream is pulled, whoever reads it. */
  readonly #scope: Scope.Scope

  constructor(keeper: Keeper, clock: Clock.Clock, scope: Scope.Scope) {
    this.#keeper = keeper
    this.#clock = clock
    this.#scope = scope
  }

  /** Begins to record. `own` is closed when the stream has ended, or nobody reads it any more. */
  start(body: Stream.Stream<Uint8Array, E>, own: Scope.Closeable): Effect.Effect<void> {
    return Effect.flatMap(Channel.toPullScoped(body.channel, own), (pull) =>
      Effect.map(
        Effect.forkIn(Effect.ensuring(Effect.interruptible(this.#run(pull)), Scope.close(own, Exit.void)), this.#scope),
        (fiber) => void (this.#pump = fiber)
      )
    )
  }

  /** Whether it can be read from its beginning, to its end or as far as it has come. */
  get isWhole(): boolean {
    return !this.#isDropped
  }

  /** Frees the memory that no reader needs. Who comes from now on cannot read it. */
  drop(): void {
    this.#isDropped = true
    this.#trim()
  }

  /** Reads from the beginning. Only while it is whole. */
  readonly read: Stream.Stream<Uint8Array, E> = Stream.fromPull(
    Effect.suspend(() => {
      const reader: Reader = { position: 0 }
      this.#readers.add(reader)
      this.#visits++
      const left = Effect.suspend(() => {
        this.#readers.delete(reader)
        return this.release
      })
      return Effect.as(
        Effect.addFinalizer(() => left),
        this.#next(reader)
      )
    })
  ).pipe(Stream.scoped)

  /** If nobody reads it, it waits for a repeat, or is closed. */
  readonly release: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#readers.size > 0 || this.#end !== undefined) return Effect.void
    const startedAt = this.#startedAt
    const isLate = startedAt !== undefined && this.#clock.currentTimeMillisUnsafe() - startedAt > soonMillis
    if (this.#isDropped || isLate) return this.#stop
    const visits = ++this.#visits
    const stopUnlessRead = Effect.suspend(() => (this.#visits === visits ? this.#stop : Effect.void))
    return Effect.asVoid(Effect.forkIn(Effect.delay(Effect.interruptible(stopUnlessRead), waitMillis), this.#scope))
  })

  readonly #stop: Effect.Effect<void> = Effect.suspend(() => {
    this.#lose()
    return this.#pump === undefined ? Effect.void : Fiber.interrupt(this.#pump)
  })

  #lose(): void {
    if (this.#isDropped) return
    this.drop()
    this.#keeper.isLost()
  }

  #next(reader: Reader): Pull.Pull<Chunks, E> {
    const next: Pull.Pull<Chunks, E> = Effect.suspend(() => {
      const chunks = this.#chunks.slice(reader.position - this.#first)
      reader.position += chunks.length
      if (this.#isDropped) this.#trim()
      if (isReadonlyArrayNonEmpty(chunks)) return Effect.succeed(chunks)
      if (this.#end !== undefined) return Effect.failCause(this.#end)
      return Effect.andThen(this.#more, next)
    })
    return next
  }

  /** Waits for more. */
  readonly #more: Effect.Effect<void> = Effect.callback<void>((resume) => {
    const waiting = () => resume(Effect.void)
    this.#waiting.push(waiting)
    this.#wakePump?.()
    return Effect.sync(() => void (this.#waiting = this.#waiting.filter((other) => other !== waiting)))
  })

  /** Without the beginning in memory, the slowest reader decides when there is more. */
  get #isWanted(): boolean {
    return this.#waiting.length > 0 && (!this.#isDropped || this.#waiting.length === this.#readers.size)
  }

  #run(pull: Pull.Pull<Chunks, E>): Effect.Effect<void> {
    const wanted = Effect.callback<void>((resume) => {
      if (this.#isWanted) return resume(Effect.void)
      this.#wakePump = () => {
        if (!this.#isWanted) return
        this.#wakePump = undefined
        resume(Effect.void)
      }
      return Effect.sync(() => void (this.#wakePump = undefined))
    })
    const step = Effect.andThen(
      wanted,
      Effect.matchCauseEffect(pull, {
        onSuccess: (chunks) => Effect.sync(() => this.#append(chunks)),
        onFailure: (cause) => Effect.sync(() => this.#finish(cause))
      })
    )
    return Effect.whileLoop({ while: () => this.#end === undefined, body: () => step, step: () => {} })
  }

  #append(chunks: Chunks): void {
    this.#startedAt ??= this.#clock.currentTimeMillisUnsafe()
    let bytes = 0
    for (const chunk of chunks) {
      this.#chunks.push(chunk)
      bytes += chunk.length
    }
    if (!this.#isDropped) this.#keeper.grew(bytes)
    this.#wakeReaders()
  }

  #finish(cause: Cause.Cause<E | Cause.Done<void>>): void {
    this.#end = cause
    if (Cause.hasInterrupts(cause)) this.#lose()
    this.#wakeReaders()
  }

  #wakeReaders(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  #trim(): void {
    let least = this.#first + this.#chunks.length
    for (const { position } of this.#readers) least = Math.min(least, position)
    this.#chunks.splice(0, least - this.#first)
    this.#first = least
  }
}
