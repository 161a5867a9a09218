import type { Settings } from "./Conversation.ts"
import { stringify } from "./exact.ts"
import { isMissing, isObject, type Json, list, text, valueAt } from "./json.ts"
import type { Lost } from "./losses.ts"

type Name = keyof Settings

/** Where a protocol has a setting, names joined by a dot. The first is written. */
export type Paths = Readonly<Partial<Record<Name, string | readonly [string, ...ReadonlyArray<string>]>>>

const kinds: Readonly<Record<Name, "number" | "string" | "object">> = {
  limit: "number",
  temperature: "number",
  topP: "number",
  topK: "number",
  frequencyPenalty: "number",
  presencePenalty: "number",
  seed: "number",
  verbosity: "string",
  tier: "string",
  user: "string",
  metadata: "object",
  cacheKey: "string",
  safetyIdentifier: "string"
}

const names = Object.keys(kinds) as ReadonlyArray<Name>

const spellings = (path: Paths[Name]): ReadonlyArray<string> =>
  path === undefined ? [] : typeof path === "string" ? [path] : path

/** A number with more digits than a double has is read as a text. */
const isOf = (kind: (typeof kinds)[Name], value: unknown): boolean =>
  kind === "object" ? isObject(value) : typeof value === kind || (kind === "number" && typeof value === "string")

/** The field of a setting in a protocol's words. */
export const written = (paths: Paths, name: string): string | undefined => spellings(paths[name as Name])[0]

/** What ends an answer. Some SDKs send an empty list for nothing. */
export const readStop = (given: unknown, at: string): { readonly stop?: ReadonlyArray<string> } => {
  const stop = list(given, at).map((each, i) => text(each, `${at}[${i}]`))
  return stop.length === 0 ? {} : { stop }
}

export interface Read {
  readonly settings: Settings
  /** The fields that nobody knows. */
  readonly own: ReadonlyArray<string>
}

/** Reads the settings. `known` are the fields that are read elsewhere. */
export const readSettings = (body: Json, paths: Paths, known: ReadonlySet<string>): Read => {
  const settings: Record<string, unknown> = {}
  const taken = new Set(known)
  const own: Array<string> = []
  for (const name of names) {
    for (const path of spellings(paths[name])) {
      taken.add(path)
      const value = valueAt(body, path.split("."))
      if (isMissing(value)) continue
      if (isOf(kinds[name], value)) settings[name] ??= value
      else own.push(path)
    }
  }
  const outer = new Set([...taken].flatMap((path) => (path.includes(".") ? [path.slice(0, path.indexOf("."))] : [])))
  for (const [field, value] of Object.entries(body)) {
    if (isMissing(value) || taken.has(field)) continue
    if (!outer.has(field) || !isObject(value)) own.push(field)
    else {
      for (const [inner, given] of Object.entries(value)) {
        if (!isMissing(given) && !taken.has(`${field}.${inner}`)) own.push(`${field}.${inner}`)
      }
    }
  }
  return { settings, own }
}

const usualTiers = new Set<unknown>(["auto", "default", "standard_only"])

/** Writes the settings that the protocol has into `body`. */
export const writeSettings = (body: Record<string, unknown>, settings: Settings, paths: Paths, lost: Lost): void => {
  for (const name of names) {
    const value = settings[name]
    if (value === undefined) continue
    const path = written(paths, name)
    if (path === undefined || (name === "tier" && usualTiers.has(value))) {
      if (name !== "tier" || !usualTiers.has(value)) lost.add(name)
      continue
    }
    const [outer = "", inner] = path.split(".")
    if (inner === undefined) body[outer] = value
    else body[outer] = { ...(body[outer] as Json | undefined), [inner]: value }
  }
}

/** The settings for a protocol whose models are no hotter than 1. */
export const cooled = <S extends Settings>(settings: S, lost: Lost): S => {
  if (!(Number(stringify(settings.temperature ?? 1)) > 1)) return settings
  lost.add("hotTemperature")
  return { ...settings, temperature: 1 }
}
