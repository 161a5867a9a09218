import { jsonSchemaOf } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import { typesOf } from "@tollgate/contract/jsonSchema/properties"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { familyOf } from "@tollgate/contract/errors/families"
import type { Bound } from "@tollgate/contract/Operation"
import { isOfModels, takesOtherParameters, vendorQuery } from "@tollgate/contract/otherParameters"
import type * as SchemaAST from "effect/SchemaAST"
import { foldedName, similarName } from "./names.ts"

/**
 * Parameters with which Google's servers choose and shape what they answer, also where they speak another's format, without
 * joints and in lower case. They could take the usage out of an answer. All that begin with a dollar sign are such.
 */
const shaping = new Set(
  "accesstoken alt bearertoken callback fieldmask fields jsonp key oauthtoken pp prettyprint uploadprotocol uploadtype".split(
    " "
  )
)

/** The same as a header. */
const fieldMasks = ["x-goog-fieldmask", "x-goog-field-mask"]

export const shapingHeaders = (operation: Bound): ReadonlyArray<string> => (isOfModels(operation) ? fieldMasks : [])

export const shapesAnswer = (name: string): Refused => wrong(name, changesAnswer)

const changesAnswer = "this changes what is answered, and is not sent on"

/** Lists are sent under their name again and again, and objects as `name[field]`. */
const isNested = (ast: SchemaAST.AST): boolean => {
  const described = jsonSchemaOf({ ast })
  const types = described && typesOf(described)
  return ast._tag === "Arrays" || types?.has("array") === true || types?.has("object") === true
}

const shown = (name: string): string => JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)

const wrong = (name: string, what: string): Refused =>
  refuse("invalid_request", `${shown(name)}: ${what}.`, name.length > 100 ? {} : { param: name })

/** What an operation says of its query: which parameters it has, and which of them may be repeated. */
export class QueryRules {
  readonly #isOpen: boolean
  readonly #nested = new Map<string, boolean>()
  readonly #byFoldedName = new Map<string, string>()
  readonly #credential: string | undefined
  readonly #isOfModel: boolean

  constructor(operation: Bound) {
    this.#isOfModel = isOfModels(operation)
    this.#isOpen = takesOtherParameters(operation)
    this.#credential = familyOf(operation).keyParameter
    const { query, styles = {} } = operation.request
    if (query?.ast._tag === "Objects") {
      for (const { name, type } of query.ast.propertySignatures) {
        this.#declare(String(name), Object.hasOwn(styles, name) || isNested(type))
      }
    }
    for (const name of Object.values(operation.parameters)) this.#declare(name, false)
    for (const { name } of vendorQuery(operation)) this.#declare(name, false)
  }

  #declare(name: string, isNested: boolean): void {
    this.#nested.set(name, isNested)
    this.#byFoldedName.set(foldedName(name), name)
  }

  /** Why these parameters are refused, in the order in which they were sent. */
  problem(pairs: ReadonlyArray<readonly [name: string, value: string]>): Refused | undefined {
    const seen = new Set<string>()
    for (const [name, value] of pairs) {
      const nested = this.#nested.get(name)
      if (nested === undefined) {
        const refused = this.#undeclared(name, name === "alt" && value === "sse" && !seen.has(name))
        if (refused !== undefined) return refused
      } else if (seen.has(name) && !nested) {
        return wrong(name, "this parameter is sent twice, and takes one value")
      }
      seen.add(name)
    }
    return undefined
  }

  #undeclared(name: string, isEvents: boolean): Refused | undefined {
    if (name === this.#credential) return undefined
    if (this.#isOfModel && !isEvents && (name.startsWith("$") || shaping.has(foldedName(name)))) {
      return shapesAnswer(name)
    }
    const bracket = name.indexOf("[")
    if (bracket > 0 && this.#nested.get(name.slice(0, bracket)) === true) return undefined
    const meant = this.#byFoldedName.get(foldedName(name))
    if (meant !== undefined) return wrong(name, `this parameter must be spelled ${meant}`)
    if (this.#isOpen) return undefined
    const known = [...this.#nested.keys()]
    if (known.length === 0) return wrong(name, "the operation has no parameters in the query")
    const similar = similarName(name, known)
    const it = similar === undefined ? "it" : `did you mean ${similar}? It`
    return wrong(name, `the operation has no such parameter; ${it} has ${known.join(", ")}`)
  }
}
