import type { TriedUpstream } from "@tollgate/contract/errors/Refused"

/** Which upstreams a call was sent to, and why it failed. */
export interface Attempted {
  /** The name of the one that answered. */
  readonly provider?: string | undefined
  /** All that were tried, in order. `undefined`: the first one answered. */
  readonly tried?: ReadonlyArray<TriedUpstream> | undefined
  readonly error?: CallError | undefined
}

/** Why a call failed, as its caller was told. */
export interface CallError {
  /** `undefined`: an upstream that gave none. */
  readonly code?: string | undefined
  readonly message: string
}

/** A message may be any text of an upstream. */
const longestMessage = 500

const isCode = /^[\w.:/-]{1,64}$/

const plain = (message: string): string =>
  message
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, longestMessage)
    .toWellFormed()

/** As stored: the code, a space, and the start of the message. Without a code the space comes first. */
export const encodeError = ({ code = "", message }: CallError): string =>
  `${isCode.test(code) ? code : ""} ${plain(message)}`

export const errorIn = (stored: string): { readonly code: string | null; readonly message: string } => {
  const at = stored.indexOf(" ")
  return { code: stored.slice(0, at) || null, message: stored.slice(at + 1) }
}
