import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { foldedName } from "../../internal/names.ts"

export type Names = Readonly<Record<string, string>>

export const upstreamsName = (names: Names, name: string): string =>
  Object.hasOwn(names, name) ? (names[name] ?? name) : name

/** The caller's name for what the upstream calls `name`. */
export const callersName = (names: Names, name: string): string =>
  Object.keys(names).find((own) => names[own] === name) ?? name

const folded = new WeakMap<Names, ReadonlyMap<string, string>>()

/** The caller's names, by any spelling of theirs and of the upstream's. */
const foldedOf = (names: Names): ReadonlyMap<string, string> => {
  const known = folded.get(names)
  if (known !== undefined) return known
  const made = new Map<string, string>()
  for (const [own, sentAs] of Object.entries(names)) {
    made.set(foldedName(sentAs), own)
    made.set(foldedName(own), own)
  }
  folded.set(names, made)
  return made
}

/**
 * A caller who uses the upstream's name, in whatever spelling, would send two values under it, or one that was not checked.
 * `undefined`: it is not taken.
 */
export const takenName = (names: Names, name: string, part: "query" | "body"): Refused | undefined => {
  if (Object.hasOwn(names, name)) return undefined
  const own = foldedOf(names).get(foldedName(name))
  return own === undefined
    ? undefined
    : refuse(
        "invalid_request",
        `${name}: ${part === "query" ? "this parameter" : "this field"} is called ${own} here.`,
        {
          param: name
        }
      )
}
