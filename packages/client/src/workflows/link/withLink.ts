import { Forbidden } from "@tollgate/contract/errors/ApiError"
import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import * as Clock from "effect/Clock"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
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

/** A link that is shown to the user, for all calls of a client that wait for it. */
interface Shown<E> {
  readonly fiber: Fiber.Fiber<Begun, E>
  waiting: number
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
  const all = new WeakMap<Client["Service"], Shown<LinkError | E>>()

  const isRefusal = (error: unknown): boolean => error instanceof Forbidden && needsLink(error)

  const approval = Effect.flatMap(begin(options), (begun) =>
    confirm === undefined ? Effect.succeed(begun) : Effect.as(within(begun, confirm(begun.session)), begun)
  )

  /** The link of a client. The call that began it may be interrupted, and the others go on with it. */
  const shownBy = Effect.fnUntraced(function* (client: Client["Service"]) {
    const known = all.get(client)
    const shown = known ?? { fiber: yield* Effect.forkDetach(approval), waiting: 0 }
    shown.waiting++
    all.set(client, shown)
    return shown
  })

  /** Retries the write until it is not refused or the address expires. Expiry never interrupts a write in flight. */
  const tried = Effect.fnUntraced(function* <A, EW>(
    begun: Begun,
    write: Effect.Effect<A, EW, Client>
  ): Effect.fn.Return<A, EW | LinkExpired, Client> {
    let refusal: unknown
    for (;;) {
      const left = begun.endsAt - (yield* Clock.currentTimeMillis)
      if (left <= 0) return yield* expired(begun, refusal)
      yield* Effect.sleep(Math.min(everyMillis, left))
      const result = yield* Effect.result(write)
      if (Result.isSuccess(result) || !isRefusal(result.failure)) return yield* Effect.fromResult(result)
      refusal = result.failure
    }
  })

  const linked = <A, EW>(client: Client["Service"], write: Effect.Effect<A, EW, Client>) =>
    Effect.acquireUseRelease(
      shownBy(client),
      ({ fiber }) =>
        Effect.flatMap(Fiber.join(fiber), (begun) => (confirm === undefined ? tried(begun, write) : write)),
      (shown, exit) => {
        const isLast = --shown.waiting === 0
        const isOver = isLast || Exit.isSuccess(exit) || !Cause.hasInterruptsOnly(exit.cause)
        if (isOver && all.get(client) === shown) all.delete(client)
        return isLast ? Fiber.interrupt(shown.fiber) : Effect.void
      }
    ).pipe(retryExpired(options))

  return <I, A, EW>(write: Write<I, A, EW>) =>
    Effect.fnUntraced(function* (input: I, options?: CallOptions): Effect.fn.Return<A, EW | LinkError | E, Client | R> {
      const client = yield* Client
      const made = write(input, options)
      const again = (next: Effect.Effect<A, EW | LinkError | E, Client | R>) =>
        Effect.catch(made, (error) => (isRefusal(error) ? next : Effect.fail(error)))
      return yield* again(again(linked(client, made)))
    })
}
