import type { Client } from "@tollgate/client/Client"
import type * as Layer from "effect/Layer"
import { clientOf, endSession } from "./cookie.ts"
import type { Kept } from "./kept.ts"

/** Tells one listener, once, also if it comes later. */
const makeEnd = () => {
  let reason: string | undefined
  let tell: ((why: string) => void) | undefined
  return {
    onEnd: (listener: (why: string) => void) => {
      tell = listener
      if (reason !== undefined) listener(reason)
    },
    end: (why: string) => {
      if (reason !== undefined) return
      reason = why
      tell?.(why)
    }
  }
}

const endedBy = {
  key: "You are signed out. The session has ended, or its key was revoked or has expired.",
  demo: "You are signed out. The session has ended, or the demo key no longer works.",
  oauth: "You are signed out. The session has ended, or the grant was revoked."
}

export const sessionOf = ({ by, id }: Kept): Session => {
  const { end, onEnd } = makeEnd()
  const afterResponse = ({ status }: { readonly status: number }) => {
    if (status === 401) end(endedBy[by])
  }
  return {
    by,
    id,
    client: clientOf(id),
    account: clientOf(id, { pace: false, afterResponse }),
    leave: () => endSession("account", id),
    onEnd
  }
}

/** Who uses the console. */
export interface Session extends Kept {
  /** For calls of operations: paced, as a program would make them. */
  readonly client: Layer.Layer<Client>
  /** For `/account/v1`, whose requests do not count towards the key's limits. */
  readonly account: Layer.Layer<Client>
  /** Ends the session, in all tabs. */
  readonly leave: () => Promise<unknown>
  /** Calls this once if the gateway accepts the session no longer. */
  readonly onEnd: (listener: (why: string) => void) => void
}
