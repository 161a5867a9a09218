import { contractOf, contracts } from "@tollgate/contract/price/contracts"
import { perRequestOf } from "@tollgate/contract/price/contracts/perRequest"
import { perTaskOf } from "@tollgate/contract/price/contracts/perTask"
import { isFree, type Price } from "@tollgate/contract/price/Price"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { decode } from "../text/issues.ts"
import { didYouMean, type Path, type Problem } from "../text/Problem.ts"

const forms = Object.values(contracts).flatMap(({ own }) => (own === undefined ? [] : [own]))

/** What an operation of the operator's own may cost, for editors. */
export const WrittenPrice = Schema.Union([
  Schema.Literals(["free", "pending"]),
  ...forms.map(({ schema }) => schema(""))
])

const expected = `${forms.map(({ example }) => example).join(", ")}, "pending" or "free"`

const kindOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? "another object" : `a ${typeof value}`

/** The first key that is similar to one that says the form, and which. */
const misspelled = (written: object): readonly [key: string, meant: string] | undefined => {
  const known = forms.map(({ key }) => key)
  return Object.keys(written)
    .map((key) => [key, didYouMean(key, known)] as const)
    .find(([, meant]) => meant !== "")
}

/** The price of an operation. Without one, nobody can call it until the operator sets one. */
export const readPrice = (
  written: unknown,
  path: Path,
  protocol: string
): Result.Result<Price, ReadonlyArray<Problem>> => {
  if (written === undefined || written === "pending") {
    return Result.succeed(protocol === "task" ? perTaskOf("pending") : perRequestOf("pending"))
  }
  if (written === "free") return Result.succeed({ contract: "free" })
  if (typeof written === "object" && written !== null) {
    // A form with more fields comes after the one that it extends.
    const form = forms.findLast(({ key }) => Object.hasOwn(written, key))
    if (form !== undefined) return decode(form.schema(protocol), written, path)
    const meant = misspelled(written)
    if (meant !== undefined) return Result.fail([{ path: [...path, meant[0]], message: `not a known key${meant[1]}` }])
  }
  return Result.fail([{ path, message: `expected ${expected}, found ${kindOf(written)}` }])
}

/** Why an upstream of this protocol cannot be billed so, or a request without a JSON body. */
export const priceProblem = (price: Price, protocol: string, hasBody: boolean): string | undefined => {
  const { needsBody, problem, startsTask } = contractOf(price)
  const own = problem?.(protocol, price)
  if (own !== undefined) return own
  if (protocol === "task" && !startsTask && !isFree(price)) {
    return 'a task is billed when it succeeds: expected { "amount": … } or "free"'
  }
  return needsBody?.(price) && !hasBody
    ? "this price depends on fields of the body, and the operation has none"
    : undefined
}
