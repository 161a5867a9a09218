import { listen } from "@tollgate/ledger/fleet/Notices"
import { Ledger } from "@tollgate/ledger/ledger/Ledger"
import * as Bytes from "effect/Bytes"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Answer, StreamReply } from "../exchange/Reply.ts"
import { Recording } from "./Recording.ts"

export interface RecentAnswersBounds {
  /** Bytes of all answers, and of those of one account. The oldest go first. */
  readonly total: number
  readonly ofAccount: number
  readonly millis: number
  /** How long a stream that can be resumed goes on without its caller. 0: none can be resumed. */
  readonly awayMillis: number
}

const oneMegabyte = 1024 * 1024

/** An account may hold an eighth of all. */
export const recentAnswersBoundsOf = (megabytes: number, awaySeconds: number): RecentAnswersBounds => ({
  total: megabytes * oneMegabyte,
  ofAccount: (megabytes * oneMegabyte) / 8,
  millis: 15 * 60_000,
  awayMillis: awaySeconds * 1_000
})

export const RecentAnswersBounds = Context.Reference<RecentAnswersBounds>("@tollgate/gateway/HeldBounds", {
  defaultValue: () => recentAnswersBoundsOf(64, 60)
})

/** Many are evicted at once: finding the oldest in a map takes longer the more were deleted before it. */
const afterEviction = 7 / 8

/** How often those are looked for whose time is over. */
const expireMillis = 1_000

/** How many streams go on at a time without their callers. Each keeps its place in its key's concurrency, too. */
const mostAway = 1_000

/** What an entry costs besides its answer. */
const entryBytes = 512

type Head = Omit<Answer, "bytes">

interface OfAccount {
  bytes: number
  /** The oldest first. */
  readonly calls: Set<string>
}

/** The idempotency key and the request of a stream that can be resumed, as digests. */
export interface Claim {
  readonly id: string
  readonly payload: string
  /** Whose stream it is: the first of the key's rotations. Another key may read it, but not cancel it. */
  readonly rootKey: string
}

const cancelName = (id: string, rootKey: string): string => `cancel ${id} ${rootKey}`

/** The answer of a call, or the place for it. */
interface Held {
  readonly account: string
  readonly of: OfAccount
  /** Of a stream that can be resumed. */
  readonly claim: Claim | undefined
  at: number
  bytes: number
  answer: Answer | undefined
  stream: { readonly head: Head; readonly recording: Recording<unknown> } | undefined
  isRunning: boolean
  /** Its caller wants it to end. */
  isCanceled: boolean
  waiting: Array<() => void> | undefined
}

/** What can be sent again of a call. */
export type Repeatable =
  | { readonly kind: "whole"; readonly answer: Answer }
  | {
      readonly kind: "stream"
      readonly head: Head
      readonly body: Stream.Stream<Uint8Array, unknown>
      /** How many chunks of it have arrived. */
      readonly length: number
    }

/** How many refusals are remembered, and how long: SDKs wait a minute at most. */
const mostRefusals = 10_000
const refusalMillis = 2 * 60_000

export class RecentAnswersMemory {
  readonly #held = new Map<string, Held>()
  /** The calls whose streams can be resumed, by the id of their idempotency key. */
  readonly #claimed = new Map<string, string>()
  #away = 0
  readonly #accounts = new Map<string, OfAccount>()
  /** How many attempts were refused before their body was read, and are expected again. */
  readonly #refusals = new Map<string, { count: number; at: number }>()
  #total = 0
  #expiredAt = 0
  readonly #bounds: RecentAnswersBounds
  readonly #clock: Clock.Clock
  readonly #scope: Scope.Scope

  constructor(bounds: RecentAnswersBounds, clock: Clock.Clock, scope: Scope.Scope) {
    this.#bounds = bounds
    this.#clock = clock
    this.#scope = scope
  }

  get bytes(): number {
    return this.#total
  }

  get canResume(): boolean {
    return this.#bounds.awayMillis > 0
  }

  /** A call was reserved whose answer is to be held. `claim`: its stream can be resumed. */
  begin(call: string, account: string, claim?: Claim): void {
    const at = this.#clock.currentTimeMillisUnsafe()
    const of = this.#accounts.get(account) ?? { bytes: 0, calls: new Set() }
    const held: Held = {
      account,
      of,
      claim,
      at,
      bytes: 0,
      answer: undefined,
      stream: undefined,
      isRunning: true,
      isCanceled: claim !== undefined && this.takeRefused(cancelName(claim.id, claim.rootKey)),
      waiting: undefined
    }
    this.#accounts.set(account, of)
    of.calls.add(call)
    this.#held.set(call, held)
    if (claim !== undefined) this.#claimed.set(claim.id, call)
    this.#grow(held, entryBytes)
    if (Math.abs(at - this.#expiredAt) < expireMillis) return
    this.#expiredAt = at
    for (const [oldest, { at: since, claim, stream }] of this.#held) {
      if (Math.abs(at - since) < this.#bounds.millis) break
      if (claim === undefined || stream?.recording.isOpen !== true) this.forget(oldest)
    }
  }

  /** The call whose stream can be resumed under this idempotency key, and a digest of its request. */
  claimed(id: string): { readonly call: string; readonly payload: string } | undefined {
    const call = this.#claimed.get(id) ?? ""
    const claim = this.#held.get(call)?.claim
    return claim === undefined ? undefined : { call, payload: claim.payload }
  }

  /** Whether the call is under way here, or can be sent again. */
  has(call: string): boolean {
    return this.#held.has(call)
  }

  isResumable(call: string): boolean {
    return this.#held.get(call)?.claim !== undefined
  }

  isRunning(call: string): boolean {
    return this.#held.get(call)?.isRunning === true
  }

  /** `from`: so many chunks of a stream are left out. */
  find(call: string, from = 0): Repeatable | undefined {
    const held = this.#held.get(call)
    if (held?.answer !== undefined) return { kind: "whole", answer: held.answer }
    if (held?.stream === undefined) return undefined
    const { head, recording } = held.stream
    return { kind: "stream", head, body: recording.read(from), length: recording.length }
  }

  /** Waits until a call that runs has an answer, streams one, or failed. */
  ended(call: string): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const held = this.#held.get(call)
      if (held?.isRunning !== true) return resume(Effect.void)
      const wake = () => resume(Effect.void)
      ;(held.waiting ??= []).push(wake)
      return Effect.sync(() => void (held.waiting = held.waiting?.filter((other) => other !== wake)))
    })
  }

  /** Ends the stream of this idempotency key. One that begins a moment later ends at once. */
  cancel(id: string, rootKey: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const held = this.#held.get(this.#claimed.get(id) ?? "")
      if (held === undefined) return Effect.sync(() => this.refused(cancelName(id, rootKey)))
      if (held.claim?.rootKey !== rootKey) return Effect.void
      held.isCanceled = true
      return this.#cancel(held)
    })
  }

  /** What it still reads upstream, to learn the charge, takes longer than a caller waits. */
  #cancel({ stream }: Held): Effect.Effect<void> {
    return stream === undefined ? Effect.void : Effect.asVoid(Effect.forkIn(stream.recording.cancel, this.#scope))
  }

  hold(call: string, answer: Answer): void {
    const held = this.#held.get(call)
    if (held === undefined) return
    held.answer = answer
    this.#grow(held, answer.bytes.length)
    this.#end(held)
  }

  /**
   * Records a stream, which belongs to `own` from now on: that is closed when the stream has ended, or all who read it have left
   * and no repeat came.
   */
  record(call: string, reply: StreamReply, own: Scope.Closeable): Effect.Effect<Recording<unknown>> {
    const held = this.#held.get(call)
    const keeper = {
      grew: (bytes: number) => held && this.#grow(held, bytes),
      isLost: () => this.forget(call),
      isComplete: () => this.#renew(call)
    }
    const absence = held?.claim && {
      millis: this.#bounds.awayMillis,
      begin: () => this.#away < mostAway && ++this.#away > 0,
      end: () => void this.#away--
    }
    const recording = new Recording<unknown>(keeper, this.#clock, this.#scope, absence)
    if (held === undefined) recording.drop()
    else {
      held.stream = { head: reply.head, recording }
      this.#end(held)
    }
    const started = Effect.as(recording.start(reply.body, own), recording)
    return held?.isCanceled === true ? Effect.tap(started, () => this.#cancel(held)) : started
  }

  /**
   * A request was refused before its bytes were known, and its SDK will send it again: that one is a call of its own, also if an
   * equal request was answered. `name` tells all that is known of both.
   */
  refused(name: string): void {
    const at = this.#clock.currentTimeMillisUnsafe()
    const count = this.#recentRefusals(name) + 1
    this.#refusals.delete(name)
    this.#refusals.set(name, { count, at })
    const [oldest] = this.#refusals.keys()
    if (this.#refusals.size > mostRefusals && oldest !== undefined) this.#refusals.delete(oldest)
  }

  /** Whether a request of this name was refused. Each counts once. */
  takeRefused(name: string): boolean {
    const count = this.#recentRefusals(name)
    const known = this.#refusals.get(name)
    if (known !== undefined && count > 1) known.count = count - 1
    else this.#refusals.delete(name)
    return count > 0
  }

  #recentRefusals(name: string): number {
    const known = this.#refusals.get(name)
    if (known === undefined) return 0
    return Math.abs(this.#clock.currentTimeMillisUnsafe() - known.at) < refusalMillis ? known.count : 0
  }

  /** A stream that can be resumed is held from its end on. */
  #renew(call: string): void {
    const held = this.#held.get(call)
    if (held?.claim === undefined) return
    held.at = this.#clock.currentTimeMillisUnsafe()
    this.#held.delete(call)
    this.#held.set(call, held)
  }

  #end(held: Held): void {
    held.isRunning = false
    for (const wake of held.waiting ?? []) wake()
    held.waiting = undefined
  }

  #grow(held: Held, bytes: number): void {
    held.bytes += bytes
    held.of.bytes += bytes
    this.#total += bytes
    const { ofAccount, total } = this.#bounds
    if (held.of.bytes > ofAccount) this.#evict(held.of.calls, () => held.of.bytes > ofAccount * afterEviction)
    if (this.#total > total) this.#evict(this.#held.keys(), () => this.#total > total * afterEviction)
  }

  #evict(calls: Iterable<string>, isTooMuch: () => boolean): void {
    for (const call of calls) {
      if (!isTooMuch()) return
      this.forget(call)
    }
  }

  /** The call has ended without an answer to hold, or there is no room for it. */
  forget(call: string): void {
    const held = this.#held.get(call)
    if (held === undefined) return
    const { account, bytes, claim, of } = held
    this.#held.delete(call)
    if (claim !== undefined && this.#claimed.get(claim.id) === call) this.#claimed.delete(claim.id)
    of.calls.delete(call)
    of.bytes -= bytes
    this.#total -= bytes
    if (of.calls.size === 0) this.#accounts.delete(account)
    held.stream?.recording.drop()
    this.#end(held)
  }
}

/** The whole answer, when it has ended. */
const wholeOf = (repeatable: Repeatable): Effect.Effect<Answer, unknown> =>
  repeatable.kind === "whole"
    ? Effect.succeed(repeatable.answer)
    : Effect.map(Stream.runCollect(repeatable.body), (chunks) => ({ ...repeatable.head, bytes: Bytes.concat(chunks) }))

/**
 * Holds the answers of calls whose SDK counts its attempts, so that a repeat gets the same one, and streams that can be resumed.
 * Bounded for each account and in all.
 */
export class RecentAnswers extends Context.Service<RecentAnswers, RecentAnswersMemory>()(
  "@tollgate/gateway/HeldAnswers"
) {
  /** Needs the ledger, which therefore outlives it: streams that are closed with it are settled. */
  static readonly layer: Layer.Layer<RecentAnswers, never, Ledger> = Layer.effect(
    RecentAnswers,
    Effect.gen(function* () {
      const { keepAnswer } = yield* Ledger
      const scope = yield* Effect.scope
      const held = new RecentAnswersMemory(yield* RecentAnswersBounds, yield* Clock.Clock, scope)
      const run = Effect.runForkWith(yield* Effect.context<never>())
      yield* listen((notice) => {
        if (notice.kind === "cancel") run(held.cancel(notice.id, notice.rootKey))
        const repeatable = notice.kind === "answer" ? held.find(notice.call) : undefined
        if (notice.kind !== "answer" || repeatable === undefined) return
        const store = Effect.flatMap(wholeOf(repeatable), (answer) => keepAnswer(notice.call, answer))
        run(Effect.forkIn(Effect.ignore(store), scope))
      })
      return held
    })
  )
}
