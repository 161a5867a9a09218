/** `-2026-08-01`, `@20260801`, `-2026-08`, `-08-2026`, `-08-01`, `-0801`, `-2608`, `-001`, `-latest`. */
const date =
  /(?:[-@:](?:20\d\d-?(?:0\d|1[0-2])-?[0-3]\d|20\d\d-(?:0\d|1[0-2])|(?:0\d|1[0-2])-20\d\d|(?:0\d|1[0-2])-?[0-3]\d|\d\d(?:0\d|1[0-2])|\d{3}|latest)|@default)$/i

/** Longer names are those of no model. */
export const longestName = 200

/** Google's names of resources: `models/gemini-4-argon`. */
const resource = /^(?:.*\/)?models\//

/** A model's name without its date, `-latest` or version of three digits: `gpt-6-astra-2026-08-01` is `gpt-6-astra`. */
const undated = (name: string): string => name.replace(resource, "").replace(date, "")

/** A model's name without its date and maker: `openai/gpt-6-astra-2026-08-01` is `gpt-6-astra`. */
export const familyOf = (name: string): string =>
  name.length > longestName ? name : undated(name.slice(name.lastIndexOf("/") + 1))

/**
 * The entry of a model: of exactly this name, or else of the name without its date, or else of the longest pattern that fits,
 * such as `gpt-*`. A caller cannot select an entry by its pattern.
 */
export const findModel = <A>(entries: Readonly<Record<string, A>>, name: string): A | undefined => {
  if (name.length > longestName || name.endsWith("*")) return undefined
  if (Object.hasOwn(entries, name)) return entries[name]
  const family = undated(name)
  if (!family.endsWith("*") && Object.hasOwn(entries, family)) return entries[family]
  let found: string | undefined
  for (const pattern in entries) {
    if (!pattern.endsWith("*") || !name.startsWith(pattern.slice(0, -1))) continue
    if (found === undefined || pattern.length > found.length) found = pattern
  }
  return found === undefined ? undefined : entries[found]
}
