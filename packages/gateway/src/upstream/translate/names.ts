import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

export type Names = Readonly<Record<string, string>>

export const upstreamsName = (names: Names, name: string): string =>
  Object.hasOwn(names, name) ? (names[name] ?? name) : name

/** The caller's name for what the upstream calls `name`. */
export const callersName = (names: Names, name: string): string =>
  Object.keys(names).find((own) => names[own] === name) ?? name

/**
 * A caller who uses the upstream's name would send two values under it, or one that was not checked. `undefined`: it is not
 * taken.
 */
export const takenName = (names: Names, name: string, part: "query" | "body"): Refused | undefined => {
  if (Object.hasOwn(names, name)) return undefined
  const own = callersName(names, name)
  return own === name
    ? undefined
    : refuse(
        "invalid_request",
        `${name}: ${part === "query" ? "this parameter" : "this field"} is called ${own} here.`,
        {
          param: name
        }
      )
}
