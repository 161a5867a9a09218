const beyondAscii = /[^ -~]/

/** Longer names are those of no field. */
export const longestName = 64

/**
 * The same for all spellings of a name that some JSON reader takes for the same field: in other case, in camel or snake case,
 * and with letters that fold to ASCII, such as U+017F and U+212A.
 */
export const foldedName = (name: string): string => {
  if (name.length > longestName) return name
  const ascii = beyondAscii.test(name) ? name.normalize("NFKC").toUpperCase() : name
  return ascii.toLowerCase().replaceAll("_", "").replaceAll("-", "")
}
