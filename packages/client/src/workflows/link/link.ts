import { attempt } from "@tollgate/contract/attempt"
import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import { type linkStart, linkStart as operation } from "@tollgate/contract/operations/linkStart"
import type { CallError } from "../../errors/errors.ts"
import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import * as Effect from "effect/Effect"
import { Client } from "../../Client.ts"
import * as Clock from "effect/Clock"
import { call } from "../../call/call.ts"

/**
 * The approval address expired before an approval was seen. A user who declined looks the same. `cause` is the last refusal
 * of the write, if there was one.
 */
export class LinkExpired extends TaggedError("LinkExpired")<{
  readonly operation: string
  readonly message: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly outcome: "not executed"
  readonly cause?: unknown
}> {}

/** The approval address is not a web address, or contains the state of another link. It was not opened. */
export class LinkUnusable extends TaggedError("LinkUnusable")<{
  readonly operation: string
  readonly message: string
  readonly outcome: "not executed"
}> {}

/** The errors of a link, besides those of the program's own `open` and `confirm`. */
export type LinkError = CallError<typeof linkStart> | LinkExpired | LinkUnusable

export interface LinkOptions<E = never, R = never> extends Opening<E, R> {
  /**
   * Ends when the user has approved: the program's own word for it, such as a button beside the address. The interface has
   * nothing to ask it from, so it is taken at that word; if it was wrong, the next write is refused with 403.
   */
  readonly confirm: (session: LinkSession) => Effect.Effect<unknown, E, R>
}

/**
 * Links a platform account to the client's key: starts, opens, and waits for the user until the address expires. It
 * replaces what was linked before.
 */
export const link = <E = never, R = never>(
  options: LinkOptions<E, R>
): Effect.Effect<LinkSession, LinkError | E, Client | R> =>
  begin(options).pipe(
    Effect.flatMap((begun) => Effect.as(within(begun, options.confirm(begun.session)), begun.session)),
    retryExpired(options)
  )

export interface Opening<E = never, R = never> {
  /** Defaults to the gateway's own set. */
  readonly scopes?: ReadonlyArray<string>
  /** Shows the user `auth_url`, where to approve. It may return before the user has approved. */
  readonly open: (session: LinkSession) => Effect.Effect<unknown, E, R>
  /** How many further addresses to show when one expires. Defaults to none. */
  readonly again?: number
}

/** A link that waits for the user's approval. */
export interface Begun {
  readonly operation: string
  readonly session: LinkSession
  readonly endsAt: number
}

/** Used if the answer names no expiry. */
const lifetimeMillis = 600_000

const endOf = ({ expires_at }: LinkSession, now: number): number => {
  const told = Date.parse(expires_at ?? "")
  return Number.isNaN(told) ? now + lifetimeMillis : told
}

const decoded = (text: string): string => attempt(() => decodeURIComponent(text.replaceAll("+", " "))) ?? text

/** A `state` in the address must be that of the session. */
const isUsable = ({ auth_url, state }: LinkSession): boolean => {
  const shown = /^[^#]*[?&]state=([^&#]*)/.exec(auth_url)?.[1]
  return /^https?:\/\//i.test(auth_url) && (shown === undefined || shown === state || decoded(shown) === state)
}

export const expired = ({ endsAt, operation }: Begun, cause?: unknown): LinkExpired =>
  new LinkExpired({
    operation,
    message: "The approval address has expired; link again",
    expiresAt: endsAt,
    outcome: "not executed",
    ...(cause === undefined ? {} : { cause })
  })

/** Runs the effect until the address expires. */
export const within = <A, E, R>(begun: Begun, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | LinkExpired, R> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now >= begun.endsAt
      ? Effect.fail(expired(begun))
      : Effect.timeoutOrElse(effect, { duration: begun.endsAt - now, orElse: () => Effect.fail(expired(begun)) })
  )

/** Repeats the flow when an address expires, up to `again` times. */
export const retryExpired =
  ({ again = 0 }: { readonly again?: number }) =>
  <A, E, R>(flow: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catch(flow, (error) =>
      error instanceof LinkExpired && again > 0 ? retryExpired({ again: again - 1 })(flow) : Effect.fail(error)
    )

const start = call(operation)

/** Starts a link and shows it to the user. */
export const begin = Effect.fnUntraced(function* <E, R>({
  open,
  scopes
}: Opening<E, R>): Effect.fn.Return<Begun, LinkError | E, Client | R> {
  const client = yield* Client
  const id = client.bound(operation)?.id ?? operation.id
  const session = yield* start(scopes === undefined ? {} : { scopes })
  if (!isUsable(session)) {
    return yield* new LinkUnusable({
      operation: id,
      message: "The approval address is not safe to open",
      outcome: "not executed"
    })
  }
  const begun = { operation: id, session, endsAt: endOf(session, yield* Clock.currentTimeMillis) }
  yield* within(begun, open(session))
  return begun
})
