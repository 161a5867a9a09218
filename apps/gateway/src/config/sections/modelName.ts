/** The entry with exactly this name, or else the one with the longest matching prefix, such as `gpt-*`. */
export const find = <A>(entries: Readonly<Record<string, A>>, model: string): A | undefined => {
  // A caller must not select an entry by its pattern.
  if (model.endsWith("*")) return undefined
  if (Object.hasOwn(entries, model)) return entries[model]
  let found: string | undefined
  for (const name of Object.keys(entries)) {
    if (!name.endsWith("*") || !model.startsWith(name.slice(0, -1))) continue
    if (found === undefined || name.length > found.length) found = name
  }
  return found === undefined ? undefined : entries[found]
}
