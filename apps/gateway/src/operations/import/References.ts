import { attempt } from "@tollgate/contract/attempt"
import type { Path } from "../../config/text/Problem.ts"
import { field, fieldsOf } from "./values.ts"

export interface Target {
  readonly value: unknown
  readonly path: Path
}

/** Where a `$ref` leads, or why it leads nowhere. */
export type Resolved = Target | { readonly problem: string }

const tokenOf = (part: string): string | undefined =>
  attempt(() => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))

export const pointerOf = (path: Path): string =>
  `#${path
    .map((part) => `/${String(part).replaceAll("%", "%25").replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("")}`

const step = (value: unknown, token: string): unknown =>
  Array.isArray(value) && /^\d{1,9}$/.test(token) ? value[Number(token)] : field(value, token)

const maxSteps = 100

/** Follows references within the document. */
export const references = (document: unknown) => {
  const find = (reference: string): Resolved => {
    if (!reference.startsWith("#")) return { problem: "refers to another document" }
    if (reference !== "#" && !reference.startsWith("#/")) return { problem: "refers to an anchor, not to a path" }
    const tokens = reference.split("/").slice(1).map(tokenOf)
    let value = document
    const path: Array<string> = []
    for (const token of tokens) {
      if (token === undefined) return { problem: "is not encoded correctly" }
      value = step(value, token)
      path.push(token)
    }
    return value === undefined ? { problem: "refers to something that is not in the document" } : { value, path }
  }

  /** Follows a chain of references to what is not one. */
  const resolve = (value: unknown, path: Path): Resolved => {
    let target: Target = { value, path }
    for (let i = 0; i < maxSteps; i++) {
      const reference = field(target.value, "$ref")
      if (typeof reference !== "string") return target
      const found = find(reference)
      if ("problem" in found) return found
      target = found
    }
    return { problem: "refers to itself" }
  }

  return { find, resolve }
}

export type References = ReturnType<typeof references>

/** Whether it consists of a reference alone, as far as its meaning goes. */
export const isAlias = (schema: unknown): schema is { readonly $ref: string } => {
  const fields = fieldsOf(schema)
  return (
    fields !== undefined &&
    typeof fields.$ref === "string" &&
    Object.keys(fields).every((key) => key === "$ref" || key === "description" || key === "summary")
  )
}
