import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { didYouMean, type Path, type Problem } from "./Problem.ts"

const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list"
  if (value === "") return "an empty string"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

/** For a value of the right type that is not valid. A string is not shown, because it may be a secret. */
const refusedKind = (value: unknown): string =>
  typeof value === "number"
    ? String(value)
    : typeof value === "string" && value !== ""
      ? "a string of another form"
      : kindOf(value)

const noun = (ast: SchemaAST.AST): string => {
  const expected = SchemaAST.resolveAt<string>("expected")(ast)
  if (expected !== undefined) return expected
  switch (ast._tag) {
    case "String":
      return "a string"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Arrays":
      return "a list"
    case "Objects":
      return "an object"
    case "Union":
      return ast.types.map(noun).join(" or ")
    default:
      return "something else"
  }
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Union"
    ? ast.types.flatMap(literalsOf)
    : ast._tag === "Literal" && typeof ast.literal === "string"
      ? [ast.literal]
      : []

const wrong = (ast: SchemaAST.AST, value: unknown): string =>
  `expected ${noun(ast)}, found ${kindOf(value)}${typeof value === "string" ? didYouMean(value, literalsOf(SchemaAST.toEncoded(ast))) : ""}`

const keysOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

const unknown = (path: Path, ast: SchemaAST.AST): string => {
  const parameter = ast._tag === "Objects" ? ast.indexSignatures[0]?.parameter : undefined
  if (parameter !== undefined) return `not a valid key: expected ${noun(parameter)}`
  const known = keysOf(ast)
  const near = didYouMean(String(path.at(-1)), known)
  return `not a known key${near === "" && known.length <= 12 ? `; expected ${known.join(", ")}` : near}`
}

const missing = (path: Path, around: SchemaAST.AST | undefined): string => {
  const own =
    around?._tag === "Objects" ? around.propertySignatures.find(({ name }) => name === path.at(-1)) : undefined
  return own === undefined ? "is missing" : `is missing: expected ${noun(SchemaAST.toEncoded(own.type))}`
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (part, key) => (typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined),
    value
  )

const problemsOf = (root: unknown) => {
  const walk = (issue: SchemaIssue.Issue, path: Path, around?: SchemaAST.AST): ReadonlyArray<Problem> => {
    const one = (message: string) => [{ path, message }]
    const value = valueAt(root, path)
    switch (issue._tag) {
      case "Pointer":
        return walk(issue.issue, [...path, ...issue.path], around)
      case "Encoding":
        return walk(issue.issue, path)
      case "Composite":
        return issue.issues.flatMap((inner) => walk(inner, path, issue.ast))
      case "AnyOf": {
        // Of several alternatives, report the one with the fewest problems.
        const [best] = issue.issues.map((inner) => walk(inner, path)).toSorted((a, b) => a.length - b.length)
        const isWhole = best?.every((problem) => problem.path.length === path.length) ?? true
        return best === undefined || isWhole ? one(wrong(issue.ast, value)) : best
      }
      case "Filter": {
        const expected = textOf(issue.filter.annotations?.expected)
        return issue.issue._tag !== "InvalidValue" || expected === undefined
          ? walk(issue.issue, path)
          : one(`expected ${expected}, found ${refusedKind(value)}`)
      }
      case "MissingKey":
        return one(missing(path, around))
      case "UnexpectedKey":
        return one(unknown(path, issue.ast))
      case "InvalidType":
        return one(wrong(issue.ast, value))
      case "OneOf":
        return one(wrong(issue.ast, value))
      default:
        return one(textOf(issue.annotations?.message) ?? "is not valid")
    }
  }
  return walk
}

/** Decodes and reports all problems, each with its path in the file. */
export const decode = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  value: unknown,
  path: Path
): Result.Result<S["Type"], ReadonlyArray<Problem>> =>
  Result.mapError(
    Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(value),
    ({ issue }) => problemsOf(value)(issue, []).map((problem) => ({ ...problem, path: [...path, ...problem.path] }))
  )
