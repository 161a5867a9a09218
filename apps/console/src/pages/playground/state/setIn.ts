import type { Arguments } from "../client/inputOf.ts"
import { isObject } from "./json.ts"

export type Path = ReadonlyArray<string>

export const keyOf = (path: Path): string => JSON.stringify(path)

/** The value at a path of nested objects. */
export const getIn = (from: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), from)

/** The same arguments with another value at the path, in the same order. `undefined` removes it. */
export const setIn = (from: Arguments, [name, ...rest]: Path, value: unknown): Arguments => {
  if (name === undefined) return from
  const inner = getIn(from, [name])
  const next = rest.length === 0 ? value : setIn(isObject(inner) ? inner : {}, rest, value)
  const entries = Object.entries(from)
  if (next === undefined) return Object.fromEntries(entries.filter(([key]) => key !== name))
  // `fromEntries` defines its keys, so that `__proto__` is a name like any other.
  return Object.fromEntries(
    Object.hasOwn(from, name)
      ? entries.map(([key, old]): [string, unknown] => [key, key === name ? next : old])
      : [...entries, [name, next]]
  )
}
