import { editDistance } from "@tollgate/contract/editDistance"

/** Letters and digits only, so that `maxPriceUsd` is `max_price_usd`. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

const shortestPart = 3
const longestGiven = 50
const mostEdits = 2

/** The known name that was probably meant. */
export const similarName = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const given = plain(name)
  if (given.length < shortestPart || given.length > longestGiven) return undefined
  return known.find((other) => {
    const meant = plain(other)
    return meant.includes(given) || given.includes(meant) || editDistance(given, meant) <= mostEdits
  })
}
