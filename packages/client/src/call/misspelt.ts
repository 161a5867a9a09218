import { editDistance } from "@tollgate/contract/editDistance"
import { isByModel, type Price } from "@tollgate/contract/price/Price"
import { object } from "../events/Event.ts"

const plain = (name: string): string => name.replaceAll("_", "").toLowerCase()

/** The first letters must be right, because some models have a field `min_tokens`. */
const isNear = (given: string, name: string): boolean =>
  given.slice(0, 2) === name.slice(0, 2) && editDistance(plain(given), plain(name)) < 3

/** Of the path to a limit, such as `generationConfig.maxOutputTokens`. A body may contain itself. */
const mostLevels = 2

/**
 * Why a body is refused whose limit of the output is misspelt: a model would ignore the field and write, for money, as much as
 * it can. Other unknown fields pass, because models have fields that the interface does not define.
 */
export const misspelt = (price: Price, body: unknown, levels = mostLevels): string | undefined => {
  if (!isByModel(price) || levels === 0) return undefined
  const fields = object(body)
  const known = price.outputLimit.flat()
  for (const given in fields) {
    const meant = known.find((name) => isNear(given, name))
    if (meant === undefined) continue
    if (!known.includes(given)) return `${given}: did you mean ${meant}? The option \`extra\` sends it as it is`
    const within = misspelt(price, fields[given], levels - 1)
    if (within !== undefined) return within
  }
  return undefined
}
