import { Forbidden } from "@tollgate/contract/errors/ApiError"
import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { CallFunction } from "../../call/bindOperation.ts"
import type { CallOptions } from "../../options/CallOptions.ts"
import { Client } from "../../Client.ts"
import {
  begin,
  type Begun,
  expired,
  type LinkError,
  type LinkExpired,
  type Opening,
  retryExpired,
  within
} from "./link.ts"
import * as Deferred from "effect/Deferred"

/** The calls of one client that wait for a link. One at a time performs it; the others share its result. */
interface Queue<E> {
  /** How many links have ended. */
  readonly ended: () => number
  /** The link shown to the user, while any call waits for it. The call that began it may have been interrupted. */
  readonly pending: () => Begun | undefined
  readonly show: (begun: Begun | undefined) => void
  /** Ends the link for all waiting calls. */
  readonly end: (exit: Exit.Exit<void, E>) => void
  /** Runs `turn`, or returns `undefined` if a link has ended since `seen`. All waiting calls share a failure. */
  readonly wait: <A, E2, R>(seen: number, turn: Effect.Effect<A, E2, R>) => Effect.Effect<A | undefined, E | E2, R>
}

const makeQueue = <E>(): Queue<E> => {
  /** Ends with the turns of all calls that wait. */
  let turns: Effect.Effect<void> = Effect.void
  let ended = 0
  let last: Exit.Exit<void, E> = Exit.void
  let pending: Begun | undefined
  let waiting = 0
  return {
    ended: () => ended,
    pending: () => pending,
    show: (begun) => {
      pending = begun
    },
    end: (exit) => {
      ended++
      last = exit
      pending = undefined
    },
    wait: <A, E2, R>(seen: number, turn: Effect.Effect<A, E2, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => waiting++),
        () => {
          const before = turns
          const over = Deferred.makeUnsafe<void>()
          // The next call waits for those before too: this one may be interrupted while it waits.
          turns = Effect.andThen(before, Deferred.await(over))
          const mine = Effect.suspend((): Effect.Effect<A | undefined, E | E2, R> =>
            ended === seen ? turn : Effect.as(last, undefined)
          )
          return Effect.ensuring(Effect.andThen(before, mine), Deferred.succeed(over, undefined))
        },
        () =>
          Effect.sync(() => {
            waiting--
            if (waiting > 0) return
            pending = undefined
            turns = Effect.void
          })
      )
  }
}

export interface WithLinkOptions<E = never, R = never> extends Opening<E, R> {
  /**
   * Returns when the user has approved, as in `link`. Without it the write is retried every few seconds until it is no longer
   * refused, which is the only sign of approval that the interface gives.
   */
  readonly confirm?: (session: LinkSession) => Effect.Effect<unknown, E, R>
  /** Between two attempts of the write without `confirm`. Defaults to four seconds; at least one. */
  readonly everyMillis?: number
  /** Whether a 403 means that a link is missing. Defaults to the gateway's code `missing_scope`; other 403s are the platform's. */
  readonly needsLink?: (error: Forbidden) => boolean
}

/** A client function whose operation declares 403. */
type Write<I, A, EW> = CallFunction<I, A, EW> & (Forbidden extends EW ? unknown : never)

const leastMillis = 1_000

const saysSo = ({ code }: Forbidden): boolean => code === "missing_scope"

/**
 * Links the account when a write needs it: `const linked = withLink({ open })`, once for a program, and then
 * `linked(follow)(input)`. A write refused for a missing link has not run. It is retried once at once, in case the session
 * was just renewed, and again after the user's approval. Concurrent writes share one link and its failure.
 */
export const withLink = <E = never, R = never>(options: WithLinkOptions<E, R>) => {
  const { confirm, everyMillis: every = 4_000, needsLink = saysSo } = options
  const everyMillis = every >= leastMillis ? every : leastMillis
  const queues = new WeakMap<Client["Service"], Queue<LinkError | E>>()

  const queueOf = (client: Client["Service"]): Queue<LinkError | E> => {
    const known = queues.get(client)
    if (known !== undefined) return known
    const made = makeQueue<LinkError | E>()
    queues.set(client, made)
    return made
  }

  const isRefusal = (error: unknown): boolean => error instanceof Forbidden && needsLink(error)

  /** Retries the write until it is not refused or the address expires. Expiry never interrupts a write in flight. */
  const tried = Effect.fnUntraced(function* <A, EW>(
    begun: Begun,
    write: Effect.Effect<A, EW, Client>
  ): Effect.fn.Return<Result.Result<A, EW>, LinkExpired, Client> {
    let refusal: unknown
    for (;;) {
      const left = begun.endsAt - (yield* Clock.currentTimeMillis)
      if (left <= 0) return yield* expired(begun, refusal)
      yield* Effect.sleep(Math.min(everyMillis, left))
      const result = yield* Effect.result(write)
      if (Result.isSuccess(result) || !isRefusal(result.failure)) return result
      refusal = result.failure
    }
  })

  /** Performs the link. `undefined`: the account is linked, and the write has not been retried yet. */
  const turn = Effect.fnUntraced(function* <A, EW>(queue: Queue<LinkError | E>, write: Effect.Effect<A, EW, Client>) {
    const shown = queue.pending()
    if (shown === undefined) {
      const again = yield* Effect.result(write)
      if (Result.isSuccess(again) || !isRefusal(again.failure)) return again
    }
    const flow = Effect.gen(function* () {
      const begun = queue.pending() ?? (yield* begin(options))
      queue.show(begun)
      if (confirm === undefined) return yield* tried(begun, write)
      yield* within(begun, confirm(begun.session))
      return undefined
    }).pipe(
      Effect.tapError(() => Effect.sync(() => queue.show(undefined))),
      retryExpired(options)
    )
    const result = yield* Effect.tapError(flow, (error) => Effect.sync(() => queue.end(Exit.fail(error))))
    // A write that failed for another reason proves no approval, so the next in the queue keeps waiting.
    if (result === undefined || Result.isSuccess(result)) queue.end(Exit.void)
    return result
  })

  return <I, A, EW>(write: Write<I, A, EW>) =>
    Effect.fnUntraced(function* (input: I, options?: CallOptions): Effect.fn.Return<A, EW | LinkError | E, Client | R> {
      const queue = queueOf(yield* Client)
      const seen = queue.ended()
      const made = write(input, options)
      const first = yield* Effect.result(made)
      if (Result.isSuccess(first) || !isRefusal(first.failure)) return yield* Effect.fromResult(first)
      const ended = yield* queue.wait(seen, turn(queue, made))
      return yield* ended === undefined ? made : Effect.fromResult(ended)
    })
}
