import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import * as Effect from "effect/Effect"
import type { LinkOptions } from "../after/link/link.ts"
import type { WithLinkOptions } from "../after/link/withLink.ts"

type Shown = (session: LinkSession) => unknown

/** The options of `link` and `withLink` with plain or async functions. */
type Plain<O> = Omit<O, "open" | "confirm"> & {
  /** Shows the user `auth_url`, where to approve. It may return before the user has approved. */
  readonly open: Shown
}

export type PlainLinkOptions = Plain<LinkOptions> & {
  /** Returns when the user has approved: the program's own word for it, such as a button beside the address. */
  readonly confirm: Shown
}

export type PlainWithLinkOptions = Plain<WithLinkOptions> & {
  /** As in `link`. Without it the write is retried every few seconds until it is no longer refused. */
  readonly confirm?: Shown
}

const effectOf = (f: Shown) => (session: LinkSession) =>
  Effect.tryPromise({ try: async () => f(session), catch: (cause) => cause })

export const linkOptions = ({ confirm, open, ...options }: PlainLinkOptions): LinkOptions<unknown> => ({
  ...options,
  open: effectOf(open),
  confirm: effectOf(confirm)
})

export const withLinkOptions = ({ confirm, open, ...options }: PlainWithLinkOptions): WithLinkOptions<unknown> => ({
  ...options,
  open: effectOf(open),
  ...(confirm === undefined ? {} : { confirm: effectOf(confirm) })
})
