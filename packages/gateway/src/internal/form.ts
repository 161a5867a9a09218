import { attempt } from "@tollgate/contract/attempt"
import * as Utf8 from "@tollgate/contract/Utf8"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

export interface Form {
  /** Texts by name. Those whose names end in brackets are lists. A file is an object with its number of bytes. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly modelAt?: { readonly start: number; readonly end: number }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const dash = 0x2d
const mostParts = 200
const longestHead = 2_000

/** Named once, in a way that no reader takes for another. */
const boundaryOf = (type: string): string | undefined => {
  const found = /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s;,"]{1,70}))\s*(?:;|$)/i.exec(type)
  return type.match(/boundary/gi)?.length === 1 ? (found?.[1] ?? found?.[2]) : undefined
}

const text = (bytes: Uint8Array): string | undefined => attempt(() => Utf8.decodeStrict(bytes))

const disposition =
  /^content-disposition: ?form-data; ?name="([^"\\\r\n]{1,100})"((?:; ?filename\*?=(?:"(?:[^"\\]|\\.)*"|[^\s;"]+))*)$/i
const harmless = /^(?:content-type: ?[^\r\n]*|content-length: ?\d+|content-transfer-encoding: ?(?:binary|8bit|7bit))$/i

/** The name of a part, and whether it is a file. `undefined`: readers could differ in them. */
const headOf = (head: string): { readonly name: string; readonly isFile: boolean } | undefined => {
  const lines = head.split("\r\n")
  const named = lines.flatMap((line) => {
    const found = disposition.exec(line)
    return found === null ? [] : [found]
  })
  const [found] = named
  if (found === undefined || named.length > 1) return undefined
  return lines.every((line) => line === found[0] || harmless.test(line))
    ? { name: found[1] ?? "", isFile: found[2] !== "" }
    : undefined
}

interface Part {
  readonly name: string
  readonly isFile: boolean
  readonly start: number
  readonly end: number
}

/** The parts of a form that all readers read alike. `undefined`: it is not one. */
const partsOf = (bytes: Uint8Array, boundary: string): ReadonlyArray<Part> | undefined => {
  const delimiter = Utf8.encode(`--${boundary}`)
  const isAt = (at: number) => delimiter.every((byte, i) => bytes[at + i] === byte)
  const isLineEnd = (at: number) => bytes[at] === carriageReturn && bytes[at + 1] === lineFeed
  const parts: Array<Part> = []
  if (!isAt(0)) return undefined
  for (let at = delimiter.length; parts.length <= mostParts;) {
    if (bytes[at] === dash && bytes[at + 1] === dash) {
      return at + 2 === bytes.length || (isLineEnd(at + 2) && at + 4 === bytes.length) ? parts : undefined
    }
    if (!isLineEnd(at)) return undefined
    let headEnd = at + 2
    while (!(isLineEnd(headEnd) && isLineEnd(headEnd + 2))) if (headEnd++ > at + longestHead) return undefined
    const head = headOf(text(bytes.subarray(at + 2, headEnd)) ?? "")
    const start = headEnd + 4
    if (head === undefined || isAt(start)) return undefined
    let end = bytes.indexOf(lineFeed, start)
    while (end !== -1 && !isAt(end + 1)) end = bytes.indexOf(lineFeed, end + 1)
    // A line that ends without a carriage return begins a part for some readers only.
    if (end <= start || bytes[end - 1] !== carriageReturn) return undefined
    parts.push({ ...head, start, end: end - 1 })
    at = end + 1 + delimiter.length
  }
  return undefined
}

const declares = (schema: Schema.Constraint, name: string, tag: "Number" | "Boolean"): boolean => {
  const { ast } = schema
  const field = ast._tag === "Objects" ? ast.propertySignatures.find((each) => each.name === name)?.type : undefined
  const types: ReadonlyArray<SchemaAST.AST> = field?._tag === "Union" ? field.types : field === undefined ? [] : [field]
  return types.some(({ _tag }) => _tag === tag)
}

const valueOf = (schema: Schema.Constraint, name: string, value: string): unknown => {
  if (/^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/.test(value) && declares(schema, name, "Number")) return Number(value)
  return (value === "true" || value === "false") && declares(schema, name, "Boolean") ? value === "true" : value
}

/** Reads a form of an operation with this schema. `undefined`: it is not one, or readers could take it for different ones. */
export const readForm = (bytes: Uint8Array, type: string, schema: Schema.Constraint): Form | undefined => {
  const boundary = boundaryOf(type)
  const parts = boundary === undefined ? undefined : partsOf(bytes, boundary)
  if (parts === undefined) return undefined
  const fields = new Map<string, unknown>()
  let modelAt: Form["modelAt"]
  for (const { end, isFile, name, start } of parts) {
    const [base = ""] = name.split("[", 1)
    const content = isFile ? "" : text(bytes.subarray(start, end))
    if (content === undefined) return undefined
    const value = isFile ? { bytes: end - start } : valueOf(schema, name, content)
    const known = fields.get(base)
    if (base !== name) {
      if (known !== undefined && !Array.isArray(known)) return undefined
      fields.set(base, [...((known as ReadonlyArray<unknown> | undefined) ?? []), value])
    } else {
      if (known !== undefined) return undefined
      fields.set(base, value)
    }
    if (name === "model") modelAt = { start, end }
  }
  return { fields: Object.fromEntries(fields), ...(modelAt === undefined ? {} : { modelAt }) }
}
