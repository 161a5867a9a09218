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

/** For how long a stream goes on that can be resumed and that nobody reads. */
export interface Absence {
  readonly millis: number
  /** Nobody reads it any more. Returns whether it may go on: there may be too many. */
  readonly begin: () => boolean
  readonly end: () => void
}

/** Is told what a recording holds. */
export interface Keeper {
  /** So many bytes were added. */
  readonly grew: (bytes: number) => void
  /** Nobody can read it from the beginning any more. */
  readonly isLost: () => void
  /** It has ended, and all of it is held. */
  readonly isComplete?: () => void
}

/**
 * A stream that is read while it arrives, and again from its beginning while all of it is in memory. It is pulled when a reader
 * wants more, and closed when it has ended or when all readers have left. With an `Absence` it goes on for a while without them.
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
  /** Nobody reads it, and it goes on. */
  #isAway = false
  #returnsLate: Fiber.Fiber<void> | undefined
  /** Nobody reads it, and nobody can. */
  #isAbandoned = false
  readonly #keeper: Keeper
  readonly #clock: Clock.Clock
  /** In which the stream is pulled, whoever reads it. */
  readonly #scope: Scope.Scope
  readonly #absence: Absence | undefined

  constructor(keeper: Keeper, clock: Clock.Clock, scope: Scope.Scope, absence?: Absence) {
    this.#absence = absence
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

  get isOpen(): boolean {
    return this.#end === undefined
  }

  /** How many chunks have arrived. */
  get length(): number {
    return this.#first + this.#chunks.length
  }

  /** Frees the memory that no reader needs. Who comes from now on cannot read it. */
  drop(): void {
    this.#isDropped = true
    this.#isAbandoned = this.#isAway
    this.#return()
    this.#trim()
    this.#wakePump?.()
  }

  /** Reads from the beginning, or after so many chunks. Only while it is whole. */
  readonly read = (from = 0): Stream.Stream<Uint8Array, E> =>
    Stream.scoped(
      Stream.fromPull(
        Effect.suspend(() => {
          // It was dropped since it was found.
          if (this.#isAbandoned || from < this.#first) return Effect.interrupt
          const reader: Reader = { position: from }
          this.#readers.add(reader)
          this.#visits++
          this.#return()
          const left = Effect.suspend(() => {
            this.#readers.delete(reader)
            return this.release
          })
          return Effect.as(
            Effect.addFinalizer(() => left),
            this.#next(reader)
          )
        })
      )
    )

  /** If nobody reads it, it waits for a repeat, goes on for a while, or is closed. */
  readonly release: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#readers.size > 0 || this.#end !== undefined || this.#isAway) return Effect.void
    const millis = this.#isDropped ? 0 : this.#leave()
    if (millis === 0) return this.#stop
    const visits = ++this.#visits
    const stopUnlessRead = Effect.suspend(() => {
      this.#returnsLate = undefined
      return this.#visits === visits ? this.#stop : Effect.void
    })
    const later = Effect.forkIn(Effect.delay(Effect.interruptible(stopUnlessRead), millis), this.#scope)
    return Effect.map(later, (fiber) => {
      if (this.#isAway) this.#returnsLate = fiber
    })
  })

  /** Nobody reads it any more. Returns how long to wait for those who come back. */
  #leave(): number {
    if (this.#absence === undefined) {
      const startedAt = this.#startedAt
      const isLate = startedAt !== undefined && this.#clock.currentTimeMillisUnsafe() - startedAt > soonMillis
      return isLate ? 0 : waitMillis
    }
    if (!this.#absence.begin()) return 0
    this.#isAway = true
    this.#wakePump?.()
    return this.#absence.millis
  }

  #return(): void {
    if (!this.#isAway) return
    this.#isAway = false
    this.#absence?.end()
    this.#returnsLate?.interruptUnsafe()
    this.#returnsLate = undefined
  }

  readonly #stop: Effect.Effect<void> = Effect.suspend(() => {
    this.#lose()
    return this.#pump === undefined ? Effect.void : Fiber.interrupt(this.#pump)
  })

  /** Ends it, also for those who read it. */
  readonly cancel: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#end !== undefined) return Effect.void
    this.#lose()
    this.#finish(Cause.fail(Cause.Done()))
    return this.#stop
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
    if (this.#isAway || this.#isAbandoned) return true
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
    const pulled = Effect.matchCauseEffect(pull, {
      onSuccess: (chunks) => Effect.sync(() => this.#append(chunks)),
      onFailure: (cause) => Effect.sync(() => this.#finish(cause))
    })
    const step = Effect.andThen(
      wanted,
      Effect.suspend(() => (this.#isAbandoned ? Effect.void : pulled))
    )
    return Effect.whileLoop({
      while: () => this.#end === undefined && !this.#isAbandoned,
      body: () => step,
      step: () => {}
    })
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
    this.#return()
    if (Cause.hasInterrupts(cause)) this.#lose()
    else if (!this.#isDropped) this.#keeper.isComplete?.()
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
