import * as Utf8 from "@tollgate/contract/Utf8"
import { backslash, quote } from "../../internal/jsonScan.ts"

/** What stands under these names; `undefined` where one of them is missing. */
export const read = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (at, name) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, name)
        ? (at as Readonly<Record<string, unknown>>)[name]
        : undefined,
    value
  )

/** A number of things, of tokens mostly, that an upstream says; nothing said is none. `undefined`: it is no such number. */
export const count = (value: unknown): number | undefined => {
  if (value === undefined || value === null) return 0
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

export const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Utf8.decode(bytes))
  } catch {
    return undefined
  }
}

const largestReport = 64 * 1024

/** The value that stands there, if it is of a size that a report of usage can have. */
export const reportAt = (bytes: Uint8Array, start: number, end: number): unknown =>
  end - start > largestReport ? undefined : parse(bytes.subarray(start, end))

const letterU = 0x75

const unitAt = (bytes: Uint8Array, at: number): number => {
  let unit = 0
  for (let i = at; i < at + 4; i++) {
    const byte = bytes[i] ?? 0
    unit = unit * 16 + (byte <= 0x39 ? byte - 0x30 : (byte & 0x5f) - 0x37)
  }
  return unit
}

/** How many bytes the text has that a JSON string stands for. What is no string has none. */
export const textBytes = (bytes: Uint8Array, start: number, end: number): number => {
  if (bytes[start] !== quote) return 0
  let length = 0
  for (let i = start + 1; i < end - 1; i++) {
    length++
    if (bytes[i] !== backslash) continue
    if (bytes[++i] !== letterU) continue
    const unit = unitAt(bytes, i + 1)
    i += 4
    if (unit < 0x80) continue
    length += unit < 0x800 ? 1 : 2
    // The second half of a pair adds one to the three bytes of the first.
    if ((unit & 0xfc00) === 0xd800 && bytes[i + 1] === backslash && bytes[i + 2] === letterU) {
      if ((unitAt(bytes, i + 3) & 0xfc00) === 0xdc00) {
        length++
        i += 6
      }
    }
  }
  return length
}
