/** The entry of a name: the exact one, or else that of the longest beginning, written with a star at its end. */
export const find = <A>(entries: Readonly<Record<string, A>>, model: string): A | undefined => {
  // A caller who sends the star itself asks for no model.
  if (model.endsWith("*")) return undefined
  if (Object.hasOwn(entries, model)) return entries[model]
  let found: string | undefined
  for (const name of Object.keys(entries)) {
    if (!name.endsWith("*") || !model.startsWith(name.slice(0, -1))) continue
    if (found === undefined || name.length > found.length) found = name
  }
  return found === undefined ? undefined : entries[found]
}
