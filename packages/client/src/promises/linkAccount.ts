import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import * as Effect from "effect/Effect"
import type { Client } from "../Client.ts"
import { link as linkEffect, type LinkError, type LinkOptions } from "../workflows/link/link.ts"
import { withLink as withLinkEffect, type WithLinkOptions } from "../workflows/link/withLink.ts"
import { follow } from "../generated/operations.ts"
import type { Abortable, CallPromise } from "./Promises.ts"
import { type AnyPromiseClient, isPromiseClient, onClient } from "./runner.ts"
import type { PromiseClient } from "./PromiseClient.ts"

type Shown = (session: LinkSession) => unknown

/** The options of `link` and `withLink` with plain or async functions. */
type Plain<O> = Omit<O, "open" | "confirm"> & {
  /** Shows the user `auth_url`, where to approve. It may return before the user has approved. */
  readonly open: Shown
}

type PlainLinkOptions = Plain<LinkOptions> & {
  /** Returns when the user has approved: the program's own word for it, such as a button beside the address. */
  readonly confirm: Shown
}

type PlainWithLinkOptions = Plain<WithLinkOptions> & {
  /** As in `link`. Without it the write is retried every few seconds until it is no longer refused. */
  readonly confirm?: Shown
}

const effectOf = (f: Shown) => (session: LinkSession) =>
  Effect.tryPromise({ try: async () => f(session), catch: (cause) => cause })

const linkOptions = ({ confirm, open, ...options }: PlainLinkOptions): LinkOptions<unknown> => ({
  ...options,
  open: effectOf(open),
  confirm: effectOf(confirm)
})

const withLinkOptions = ({ confirm, open, ...options }: PlainWithLinkOptions): WithLinkOptions<unknown> => ({
  ...options,
  open: effectOf(open),
  ...(confirm === undefined ? {} : { confirm: effectOf(confirm) })
})

interface Link {
  <E = never, R = never>(options: LinkOptions<E, R>): Effect.Effect<LinkSession, LinkError | E, Client | R>
  (client: AnyPromiseClient, options: PlainLinkOptions, more?: Abortable): CallPromise<LinkSession>
}

/**
 * Links a platform account to the client's key: starts, opens, and waits for the user until the address expires. It replaces
 * what was linked before. With promises the client comes first, and the functions are plain or async.
 *
 * @example
 * yield* link({ open: ({ auth_url }) => Effect.log(auth_url), confirm: () => approved })
 * @example
 * await link(client, { open: ({ auth_url }) => show(auth_url), confirm: () => buttonPressed() })
 */
export const link: Link = (first: object, options?: PlainLinkOptions, more?: Abortable) =>
  (isPromiseClient(first)
    ? first[onClient]((options: PlainLinkOptions) => linkEffect(linkOptions(options)))(options as never, more)
    : linkEffect(first as LinkOptions)) as never

interface WithLink {
  <E = never, R = never>(options: WithLinkOptions<E, R>): ReturnType<typeof withLinkEffect<E, R>>
  (client: AnyPromiseClient, options: PlainWithLinkOptions): Pick<PromiseClient, "follow">
}

/**
 * Links the account when a write needs it. Make it once for a program: its calls share one link. A write that is refused for a
 * missing link has not run; it is retried after the user's approval, or until the address expires.
 *
 * @example
 * const linked = withLink({ open: ({ auth_url }) => Effect.log(auth_url) })
 * yield* linked(follow)({ target_user_id: "12" })
 * @example
 * const linked = withLink(client, { open: ({ auth_url }) => show(auth_url) })
 * await linked.follow({ target_user_id: "12" })
 */
export const withLink: WithLink = (first: object, options?: PlainWithLinkOptions) =>
  (isPromiseClient(first)
    ? { follow: first[onClient](withLinkEffect(withLinkOptions(options as PlainWithLinkOptions))(follow)) }
    : withLinkEffect(first as WithLinkOptions)) as never
