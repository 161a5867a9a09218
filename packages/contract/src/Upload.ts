import * as Base64 from "effect/encoding/Base64"
import * as Bytes from "effect/Bytes"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Utf8 from "./Utf8.ts"

/** A file to send, from its bytes, or from an object with bytes or base64. */
interface File {
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
  readonly filename: string | undefined
}

export interface WrittenBody {
  readonly bytes: Uint8Array
  readonly contentType: string
}

/** A file that a program gives: its bytes, or those with a type and a name. */
export type UploadedFile =
  | Uint8Array
  | { readonly bytes: Uint8Array; readonly contentType?: string; readonly filename?: string }
  | { readonly base64: string; readonly content_type?: string; readonly filename?: string }

export const UploadedFile = Schema.Unknown as Schema.ConstraintCodec<UploadedFile, unknown>

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** `undefined`: the value is not a file. */
const fileOf = (value: unknown): File | undefined => {
  if (value instanceof Uint8Array) return { bytes: value, contentType: undefined, filename: undefined }
  if (!Predicate.isObject(value)) return undefined
  const { base64, bytes, content_type, contentType, filename } = value as Readonly<Record<string, unknown>>
  if (bytes instanceof Uint8Array) return { bytes, contentType: text(contentType), filename: text(filename) }
  const decoded = typeof base64 === "string" ? Base64.decode(base64) : undefined
  return decoded === undefined || Result.isFailure(decoded)
    ? undefined
    : { bytes: decoded.success, contentType: text(content_type), filename: text(filename) }
}

/** As browsers write names into a part's head. */
const quoted = (name: string): string =>
  `"${name.toWellFormed().replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22")}"`

const isType = (contentType: string): boolean =>
  /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+(?:\s*;[\x20-\x7e]*)?$/.test(contentType)

const partOf = (name: string, value: unknown): ReadonlyArray<Uint8Array> => {
  const head = `Content-Disposition: form-data; name=${quoted(name)}`
  const file = fileOf(value)
  if (file !== undefined) {
    const { bytes, contentType = "application/octet-stream", filename = name } = file
    const type = isType(contentType) ? contentType : "application/octet-stream"
    return [Utf8.encode(`${head}; filename=${quoted(filename)}\r\nContent-Type: ${type}\r\n\r\n`), bytes]
  }
  return typeof value === "object"
    ? [Utf8.encode(`${head}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(value)}`)]
    : [Utf8.encode(`${head}\r\n\r\n${String(value).toWellFormed()}`)]
}

const mark = Utf8.encode("--tollgate-")

/** What follows the mark of a boundary in a part, and each beginning of it: no boundary may be like that. */
const numbersIn = (bytes: Uint8Array, found: Set<string>): void => {
  for (let at = bytes.indexOf(0x2d); at !== -1; at = bytes.indexOf(0x2d, at + 1)) {
    if (!mark.every((byte, i) => bytes[at + i] === byte)) continue
    const from = at + mark.length
    const [digits = ""] = /^\d*/.exec(Utf8.decode(bytes.subarray(from, from + 8))) ?? []
    for (let length = 1; length <= digits.length; length++) found.add(digits.slice(0, length))
  }
}

/** The same fields are always the same bytes, so that a call under the same idempotency key is the same call. */
const multipart = (fields: object): WrittenBody => {
  const parts = Object.entries(fields).flatMap(([name, value]: readonly [string, unknown]) =>
    (Array.isArray(value) ? (value as ReadonlyArray<unknown>) : [value]).flatMap((item) =>
      item === undefined || item === null ? [] : [Bytes.concat(partOf(name, item))]
    )
  )
  const taken = new Set<string>()
  for (const part of parts) numbersIn(part, taken)
  let number = 0
  while (taken.has(String(number))) number++
  const boundary = `tollgate-${number}`
  const pieces = parts.flatMap((part) => [Utf8.encode(`--${boundary}\r\n`), part, Utf8.encode("\r\n")])
  return {
    bytes: Bytes.concat([...pieces, Utf8.encode(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`
  }
}

export const multipartType = "multipart/form-data"

/** For an operation that takes a form: `...form`. */
export const form = { bodyType: multipartType, form: true } as const

/** Writes a body that is not JSON. A text is its own bytes. Returns what is wrong if the value cannot be written so. */
export const writeBody = (type: string, value: unknown): Result.Result<WrittenBody, string> => {
  if (type === multipartType) {
    return Predicate.isObject(value) && !(value instanceof Uint8Array)
      ? Result.succeed(multipart(value))
      : Result.fail("the body must be an object: its fields are the parts of a form")
  }
  const fixed = type.includes("*") ? "application/octet-stream" : type
  if (typeof value === "string") return Result.succeed({ bytes: Utf8.encode(value.toWellFormed()), contentType: fixed })
  const file = fileOf(value)
  if (file === undefined) return Result.fail("the body must be bytes, a text, or an object with base64")
  const own = type.includes("*") && file.contentType !== undefined && isType(file.contentType)
  return Result.succeed({ bytes: file.bytes, contentType: own ? (file.contentType ?? fixed) : fixed })
}
