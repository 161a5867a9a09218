import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { oncePer } from "../oncePer.ts"

type Kind = "object" | "array" | "array of objects"

type Shape = ReadonlyArray<readonly [name: string, kind: Kind]>

const kindOf = (ast: SchemaAST.AST): Kind | undefined => {
  if (ast._tag === "Objects") return "object"
  if (ast._tag !== "Arrays") return undefined
  return [...ast.elements, ...ast.rest].every(({ _tag }) => _tag === "Objects") ? "array of objects" : "array"
}

const shapeOf = oncePer(({ ast }: Schema.Constraint): Shape => {
  if (ast._tag !== "Objects") return []
  return ast.propertySignatures.flatMap(({ name, type }) => {
    const kind = SchemaAST.isOptional(type) ? undefined : kindOf(type)
    // A missing usage report does not make another answer: its cost is counted instead.
    return kind === undefined || name === "usage" ? [] : [[String(name), kind] as const]
  })
})

/** The fields of a body that `isAnswer` reads. */
export const shapeFields = (success: Schema.Constraint): ReadonlyArray<string> => [
  "error",
  ...shapeOf(success).map(([name]) => name)
]

const isKind = (kind: Kind, value: unknown): boolean => {
  if (kind === "object") return Predicate.isObject(value)
  return Array.isArray(value) && (kind === "array" || value.every(Predicate.isObject))
}

/** `error` of a body that reports a failure: an object, or a text that is not empty. */
const isError = (value: unknown): boolean => (typeof value === "string" ? value !== "" : Predicate.isObject(value))

/**
 * Whether a parsed body is an answer of the operation with this success schema, by what decides it: its required objects and
 * arrays. Other fields are not checked, so that one unexpected field does not make an answer free.
 */
export const isAnswer = (success: Schema.Constraint, body: unknown): boolean => {
  const shape = shapeOf(success)
  // An answer whose shape is not known may be a list.
  if (Array.isArray(body)) return shape.length === 0
  if (!Predicate.isObject(body) || isError(body["error"])) return false
  for (const [name, kind] of shape) if (!Object.hasOwn(body, name) || !isKind(kind, body[name])) return false
  return true
}
