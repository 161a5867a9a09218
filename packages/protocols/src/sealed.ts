import type { Maker, Sealed } from "./Conversation.ts"

// A client sends reasoning back as it got it. A signature of another maker than the protocol's own begins with the maker's name.

const makers: ReadonlyArray<Maker> = ["openai", "anthropic", "google"]

export const readSealed = (data: string, own: Maker): Sealed => {
  const by = makers.find((maker) => maker !== own && data.startsWith(`${maker}:`))
  return by === undefined ? { by: own, data } : { by, data: data.slice(by.length + 1) }
}

export const writeSealed = ({ by, data }: Sealed, own: Maker): string => (by === own ? data : `${by}:${data}`)

/** Begins what stands before a call, and is its signature: Google signs calls, others only reasoning. */
export const callSeal = "call:"
