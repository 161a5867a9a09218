import { editDistance } from "@tollgate/contract/editDistance"
import { isByModel, type Price } from "@tollgate/contract/price/Price"
import { object } from "../events/Event.ts"

const plain = (name: string): string => name.replaceAll("_", "").toLowerCase()

/** The first letters must be right, because some models have a field `min_tokens`. */
const isNear = (given: string, name: string): boolean =>
  given.slice(0, 2) === name.slice(0, 2) && editDistance(plain(given), plain(name)) < 3

/**
 * Why a body is refused whose limit of the output is misspelt: a model would ignore the field and write, for money, as much as
 * it can. Other unknown fields pass, because models have fields that the interface does not define.
 */
export const misspelt = (price: Price, body: unknown): string | undefined => {
  const paths = isByModel(price) ? price.outputLimit : []
  const known = paths.flat()
  for (const path of paths) {
    let within = object(body)
    for (const name of path) {
      const wrong = Object.keys(within).find((given) => !known.includes(given) && isNear(given, name))
      if (wrong !== undefined) return `${wrong}: did you mean ${name}? The option \`extra\` sends it as it is`
      within = object(within[name])
    }
  }
  return undefined
}
