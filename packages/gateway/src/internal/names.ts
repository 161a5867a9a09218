import { editDistance } from "@tollgate/contract/editDistance"

const beyondAscii = /[^!-~]/
const ignored = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u0307]/gu
const joints = /[_.[\]-]/g

/** Longer names are those of no field, however they are padded. */
const longest = 1_024

/**
 * The same for all spellings of a name that some reader takes for the same field: in other case, in camel or snake case, with
 * letters that fold to ASCII, such as U+017F and U+212A, and with what is cut off or left out, such as spaces.
 */
export const foldedName = (name: string): string => {
  if (name.length > longest) return name
  const nul = name.indexOf("\0")
  const whole = nul === -1 ? name : name.slice(0, nul)
  const ascii = beyondAscii.test(whole)
    ? whole.normalize("NFKC").toUpperCase().normalize("NFKD").replace(ignored, "")
    : whole
  return ascii.toLowerCase().replace(joints, "")
}

/** Letters and digits only, so that `maxPriceUsd` is `max_price_usd`. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

const shortestPart = 3
const longestGiven = 50
const mostEdits = 2

export const similarName = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const given = plain(name)
  if (given.length < shortestPart || given.length > longestGiven) return undefined
  return known.find((other) => {
    const meant = plain(other)
    return meant.includes(given) || given.includes(meant) || editDistance(given, meant) <= mostEdits
  })
}
