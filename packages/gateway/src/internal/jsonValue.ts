import { attempt } from "@tollgate/contract/attempt"
import * as Utf8 from "@tollgate/contract/Utf8"
import { read } from "@tollgate/contract/price/exact"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as Result from "effect/Result"

export const notJson = refuse("invalid_request", "The body is not valid JSON in UTF-8.")
const invalid = Result.fail(notJson)
export const missingJson = Result.fail(refuse("invalid_request", "A JSON body is required."))

export const decodeText = (bytes: Uint8Array): Result.Result<string, Refused> => {
  try {
    return Result.succeed(Utf8.decodeStrict(bytes))
  } catch {
    return invalid
  }
}

export const parseText = (text: string): Result.Result<unknown, Refused> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    return invalid
  }
}

export const parseJson = (bytes: Uint8Array): Result.Result<unknown, Refused> =>
  bytes.length === 0 ? missingJson : Result.flatMap(decodeText(bytes), parseText)

/** The value at this path of field names; `undefined` if one of them is missing. */
export const getPath = (value: unknown, ...path: ReadonlyArray<string>): unknown => read(value, path)

/** A count that an upstream reports. Missing or null is 0; `undefined`: not a valid count. */
export const parseCount = (value: unknown): number | undefined => {
  if (value === undefined || value === null) return 0
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** `undefined`: the bytes are not valid JSON. */
export const tryParse = (bytes: Uint8Array): unknown => attempt(() => JSON.parse(Utf8.decode(bytes)))

const maxSmallBytes = 64 * 1024

/** Parses a value unless it is far larger than any usage report. */
export const tryParseSmall = (bytes: Uint8Array, start: number, end: number): unknown =>
  end - start > maxSmallBytes ? undefined : tryParse(bytes.subarray(start, end))
