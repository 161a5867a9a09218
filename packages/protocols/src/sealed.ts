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
