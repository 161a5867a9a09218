import type { Maker, Sealed } from "../Conversation.ts"

// A client of Messages sends thinking back as it got it. A signature of another maker begins with the maker's name.

const makers: ReadonlyArray<Maker> = ["openai", "google"]

export const readSealed = (data: string): Sealed => {
  const by = makers.find((maker) => data.startsWith(`${maker}:`))
  return by === undefined ? { by: "anthropic", data } : { by, data: data.slice(by.length + 1) }
}

export const writeSealed = ({ by, data }: Sealed): string => (by === "anthropic" ? data : `${by}:${data}`)
