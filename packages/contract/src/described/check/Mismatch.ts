import * as SchemaIssue from "effect/SchemaIssue"

/** Why a value does not match a schema. */
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
