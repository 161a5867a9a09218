import type { Bound } from "./Operation.ts"

type Parameters = Readonly<Record<string, string>>

/** `.` and `..` change the path however they are encoded, and a lone surrogate has no encoding. */
const fits = (value: string): boolean => !/^\.{0,2}$/.test(value) && value.isWellFormed()

/** The first parameter whose value cannot stand in a path. */
export const unfit = (parameters: Parameters): string | undefined =>
  Object.keys(parameters).find((name) => !fits(parameters[name] ?? ""))

/** The path of an operation with its parameters filled in. They must fit. */
export const path = (operation: Bound, parameters: Parameters): string =>
  Object.entries(parameters).reduce(
    (path, [name, value]) => path.replace(`{${name}}`, encodeURIComponent(value)),
    operation.path
  )

/** A parameter whose name is pending may be passed by its role; it is sent under its bound name. */
export const named = ({ parameters }: Bound, query: Parameters): Parameters =>
  Object.fromEntries(
    Object.entries(query).map(([role, value]) => [Object.hasOwn(parameters, role) ? parameters[role] : role, value])
  )

const escape = (text: string): string => encodeURIComponent(text.toWellFormed())

/** With its question mark, if there are parameters. Spaces become `%20`, which every server decodes. */
export const query = (parameters: Parameters, more: ReadonlyArray<readonly [string, string]> = []): string => {
  const pairs = [...Object.entries(parameters), ...more].map(([name, value]) => `${escape(name)}=${escape(value)}`)
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`
}
