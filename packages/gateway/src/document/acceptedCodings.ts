import { type Coding, codings } from "./Compression.ts"

/** What `;q=` says: 0 stands for “not acceptable”. */
const isRefused = (parameters: string): boolean => /^\s*q=0(?:\.0*)?\s*$/i.test(parameters)

/** The compressions that the header `Accept-Encoding` allows. `*` stands for those that it does not name. */
export const acceptedCodings = (header = ""): ReadonlyArray<Coding> => {
  const named = new Map<string, boolean>()
  for (const item of header.split(",")) {
    const [name = "", ...parameters] = item.split(";")
    named.set(name.trim().toLowerCase(), !parameters.some(isRefused))
  }
  return codings.filter((coding) => named.get(coding) ?? named.get("*") ?? false)
}
