import type { Maker, Sealed } from "./Conversation.ts"

// A client sends reasoning back as it got it. A signature of another maker than the protocol's own begins with the maker's name.

const makers: ReadonlyArray<Maker> = ["openai", "anthropic", "google", "amazon"]

export const readSealed = (data: string, own: Maker): Sealed => {
  const by = makers.find((maker) => maker !== own && data.startsWith(`${maker}:`))
  return by === undefined ? { by: own, data } : { by, data: data.slice(by.length + 1) }
}

export const writeSealed = ({ by, data }: Sealed, own: Maker): string => (by === own ? data : `${by}:${data}`)

// Google signs calls, others only reasoning. The signature of a call stands before it, where reasoning would.
const callSeal = "call:"

/** The signature of the call that comes next, if it is one. */
export const readCallSeal = (data: unknown, own: Maker): Sealed | undefined =>
  typeof data === "string" && data.startsWith(callSeal) ? readSealed(data.slice(callSeal.length), own) : undefined

export const writeCallSeal = (sealed: Sealed, own: Maker): string => callSeal + writeSealed(sealed, own)

// Redacted reasoning has no text. What it is begins with a mark wherever it travels: letters, a multiple of four, so that base64
// stays base64.
const mark = "redacted"

export const readRedacted = (data: string, own: Maker): Sealed => {
  const sealed = readSealed(data, own)
  return sealed.by === own ? { ...sealed, data: mark + data } : sealed
}

/** The data of redacted reasoning, if it is. */
export const redactedOf = ({ by, data }: Sealed, own: Maker): string | undefined =>
  by === own && data.startsWith(mark) ? data.slice(mark.length) : undefined
