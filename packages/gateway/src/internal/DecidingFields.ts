import { errorFamilies } from "@tollgate/contract/errors/families"
import type { Bound } from "@tollgate/contract/Operation"
import { contractOf } from "@tollgate/contract/price/contracts"
import { type Check, type DecidingField, expecting } from "@tollgate/contract/price/Amount"
import type { FieldPath, Price } from "@tollgate/contract/price/Price"
import * as Predicate from "effect/Predicate"
import { foldedName } from "./names.ts"

/** Longer names are those of no field. */
export const longestName = 64

const flag = expecting("true or false", Predicate.isBoolean)
const name = expecting("a string", Predicate.isString)

const byPrice = (price: Price): ReadonlyArray<DecidingField> => contractOf(price).decidingFields?.(price) ?? []

const byOperation = ({ event, family, request }: Bound): ReadonlyArray<DecidingField> => [
  ...(request.path === undefined ? [[["model"], name] as const] : []),
  ...(event === undefined || errorFamilies[family].streamsByPath ? [] : [[["stream"], flag] as const])
]

interface Field {
  /** The accepted spellings, with the names of the objects around it. */
  readonly spellings: Array<string>
  check: Check | undefined
  inner: Level | undefined
}

/** Callers send the same few names again and again. */
const maxKnown = 1_000

/** The fields of one object, found by any spelling of their names. */
class Level {
  readonly #byFoldedName = new Map<string, Field>()
  readonly #known = new Map<string, Field | null>()

  find(name: string): Field | undefined {
    const known = this.#known.get(name)
    if (known !== undefined) return known ?? undefined
    const field = this.#byFoldedName.get(foldedName(name))
    if (this.#known.size < maxKnown && name.length <= longestName) this.#known.set(name, field ?? null)
    return field
  }

  add(name: string): Field {
    const folded = foldedName(name)
    const field = this.#byFoldedName.get(folded) ?? { spellings: [], check: undefined, inner: undefined }
    this.#byFoldedName.set(folded, field)
    return field
  }
}

/** What is wrong with a field that decides the price. */
interface Unclear {
  readonly param: string
  readonly message: string
}

/**
 * The fields of an operation's body that decide its price. An upstream may read another spelling of their names than the
 * gateway does, and another value from a wrong type, so such a body is refused. `null` counts as left out.
 */
export class DecidingFields {
  readonly #top = new Level()

  constructor(operation: Bound, price: Price) {
    for (const [path, check] of [...byOperation(operation), ...byPrice(operation.price), ...byPrice(price)]) {
      this.#add(path, check)
    }
  }

  unclear(body: object): Unclear | undefined {
    return unclearIn(this.#top, body, "")
  }

  #add(path: FieldPath, check: Check | undefined): void {
    let level = this.#top
    path.forEach((name, i) => {
      const spelling = path.slice(0, i + 1).join(".")
      const field = level.add(name)
      if (!field.spellings.includes(spelling)) field.spellings.push(spelling)
      if (i === path.length - 1) field.check = check ?? field.check
      if (i < path.length - 1) level = field.inner ??= new Level()
    })
  }
}

/** `around` is the path of the body, and `pattern` the same with `*` for each item of a list. */
const unclearIn = (level: Level, body: object, around: string, pattern = around): Unclear | undefined => {
  let seen: Map<Field, string> | undefined
  for (const name in body) {
    const field = level.find(name)
    if (field === undefined) continue
    const param = `${around}${name}`
    const spelling = `${pattern}${name}`
    if (!field.spellings.includes(spelling)) {
      const accepted = field.spellings.filter((spelling) => spelling.startsWith(pattern))
      const spelled = accepted.map((spelling) => `${around}${spelling.slice(pattern.length)}`).join(" or ")
      return { param, message: `this field decides the price and must be spelled ${spelled}` }
    }
    if (field.spellings.length > 1) {
      const other = (seen ??= new Map()).get(field)
      if (other !== undefined) return { param, message: `the body has this field twice, also as ${other}` }
      seen.set(field, param)
    }
    const value: unknown = Reflect.get(body, name)
    if (value === null) continue
    const expected = field.check?.(value)
    if (expected !== undefined) return { param, message: expected }
    if (field.inner === undefined) continue
    const inner = Array.isArray(value)
      ? unclearItem(field.inner, value, param, spelling)
      : Predicate.isObject(value)
        ? unclearIn(field.inner, value, `${param}.`, `${spelling}.`)
        : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

const unclearItem = (
  list: Level,
  items: ReadonlyArray<unknown>,
  around: string,
  pattern: string
): Unclear | undefined => {
  const level = list.find("*")?.inner
  if (level === undefined) return undefined
  for (const [i, item] of items.entries()) {
    const found = Predicate.isObject(item) ? unclearIn(level, item, `${around}.${i}.`, `${pattern}.*.`) : undefined
    if (found !== undefined) return found
  }
  return undefined
}
