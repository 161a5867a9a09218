import * as SchemaIssue from "effect/SchemaIssue"
import type { SchemaNode } from "./SchemaNode.ts"

export interface Mismatch {
  /** `type`: the value is of another type than the schema describes. */
  readonly kind: "type" | "value" | "missing"
  readonly expected: string
  /** Where inside the value. */
  readonly within: { readonly key: PropertyKey; readonly mismatch: Mismatch } | undefined
}

export const mismatch = (expected: string, kind: Mismatch["kind"] = "value"): Mismatch => ({
  kind,
  expected,
  within: undefined
})

export const at = (key: PropertyKey, mismatch: Mismatch): Mismatch => ({
  kind: "value",
  expected: "",
  within: { key, mismatch }
})

/** It never holds the value, which may be a secret. */
export const toIssue = (mismatch: Mismatch): SchemaIssue.Issue => {
  const path: Array<PropertyKey> = []
  let found = mismatch
  for (; found.within !== undefined; found = found.within.mismatch) path.push(found.within.key)
  const issue =
    found.kind === "missing"
      ? new SchemaIssue.MissingKey(undefined)
      : new SchemaIssue.InvalidValue({ expected: found.expected })
  return path.length === 0 ? issue : new SchemaIssue.Pointer(path, issue)
}

/** Counts code points only where it matters. */
const isLongerThan = (text: string, most: number): boolean => {
  if (text.length <= most) return false
  if (text.length > most * 2) return true
  let count = 0
  for (const _ of text) if (++count > most) return true
  return false
}

export const textMismatch = ({ maxLength, minLength }: SchemaNode, text: string): Mismatch | undefined => {
  if (minLength > 0 && !isLongerThan(text, minLength - 1)) {
    return mismatch(minLength === 1 ? oneOrMore : `a string with at least ${minLength} code points`)
  }
  return isLongerThan(text, maxLength) ? mismatch(`a string with at most ${maxLength} code points`) : undefined
}

const oneOrMore = "a value with a length of at least 1"

const isMultiple = (value: number, of: number): boolean => {
  const quotient = value / of
  return Math.abs(quotient - Math.round(quotient)) <= Math.max(1, Math.abs(quotient)) * Number.EPSILON * 4
}

export const numberMismatch = (node: SchemaNode, value: number): Mismatch | undefined => {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum, multipleOf } = node
  if (minimum !== undefined && value < minimum) return mismatch(`a value greater than or equal to ${minimum}`)
  if (maximum !== undefined && value > maximum) return mismatch(`a value less than or equal to ${maximum}`)
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return mismatch(`a value greater than ${exclusiveMinimum}`)
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return mismatch(`a value less than ${exclusiveMaximum}`)
  return multipleOf !== undefined && multipleOf > 0 && !isMultiple(value, multipleOf)
    ? mismatch(`a value that is a multiple of ${multipleOf}`)
    : undefined
}
