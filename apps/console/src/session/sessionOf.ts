import { type BrowserOptions, layer } from "@tollgate/browser"
import type { Session, SignedInBy } from "./Session.ts"
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
