import { type BrowserOptions, layer } from "@tollgate/browser"
import type { Client } from "@tollgate/client/Client"
import type * as Layer from "effect/Layer"
import { baseUrl } from "./gateway.ts"

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

interface Options {
  readonly by: SignedInBy
  readonly credential: (end: (why: string) => void) => NonNullable<BrowserOptions["credential"]>
  /** What a 401 says of the credential. `undefined`: the credential itself reports its end. */
  readonly refused?: string
  readonly leave?: () => Promise<unknown>
}

export const sessionOf = ({ by, credential, leave = () => Promise.resolve(), refused }: Options): Session => {
  const { end, onEnd } = makeEnd()
  // Whoever opens this page signed in to it: nobody else can read the key.
  const options: BrowserOptions = { baseUrl, credential: credential(end), allowKeyInPage: true }
  const afterResponse = ({ status }: { readonly status: number }) => {
    if (status === 401 && refused !== undefined) end(refused)
  }
  return { by, client: layer(options), account: layer({ ...options, pace: false, afterResponse }), leave, onEnd }
}

/** How somebody signed in. */
export type SignedInBy = "key" | "demo" | "oauth"

/** Who uses the console. Credentials are inside the layers only. */
export interface Session {
  readonly by: SignedInBy
  /** For calls of operations: paced, as a program would make them. */
  readonly client: Layer.Layer<Client>
  /** For `/account/v1`, whose requests do not count towards the key's limits. */
  readonly account: Layer.Layer<Client>
  /** Gives the credential up, if that is possible. */
  readonly leave: () => Promise<unknown>
  /** Calls this once if the gateway accepts the credential no longer. */
  readonly onEnd: (listener: (why: string) => void) => void
}
