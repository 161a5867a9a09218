import * as Utf8 from "@tollgate/contract/Utf8"
import * as Result from "effect/Result"
import { items, members } from "../../internal/jsonEdit.ts"
import { leftBrace, leftBracket, quote } from "../../internal/jsonScan.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { type Names, takenName, upstreamsName } from "./names.ts"

export const formType = "application/x-www-form-urlencoded"

const encode = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+")

const notFlat = (name: string): Refused =>
  refuse(
    "invalid_request",
    `${name}: the upstream takes a form, whose fields are texts, numbers, true, false or lists of them.`,
    {
      param: name
    }
  )

const notObject = refuse("invalid_request", "The body must be a JSON object: the upstream takes its fields as a form.")

/** A value as it is written in a form. Numbers keep their digits. `undefined`: null, which is left out. */
const textOf = (bytes: Uint8Array, start: number, end: number): string | undefined => {
  const text = Utf8.decode(bytes.subarray(start, end))
  if (text === "null") return undefined
  return bytes[start] === quote ? String(JSON.parse(text)) : text
}

const isNested = (bytes: Uint8Array, start: number): boolean =>
  bytes[start] === leftBrace || bytes[start] === leftBracket

/** The fields of a JSON object as a form, under the upstream's names. A list repeats its name. */
export const formOf = (bytes: Uint8Array, names: Names): Result.Result<Uint8Array, Refused> => {
  if (bytes.length === 0) return Result.succeed(bytes)
  const found = members(bytes)
  if (found === undefined) return Result.fail(notObject)
  const fields: Array<string> = []
  for (const { end, name, start } of found) {
    const taken = takenName(names, name, "body")
    if (taken !== undefined) return Result.fail(taken)
    const values = bytes[start] === leftBracket ? items(bytes, start, end) : [{ start, end }]
    if (values === undefined || values.some((value) => isNested(bytes, value.start))) return Result.fail(notFlat(name))
    for (const value of values) {
      const text = textOf(bytes, value.start, value.end)
      if (text !== undefined) fields.push(`${encode(upstreamsName(names, name))}=${encode(text)}`)
    }
  }
  return Result.succeed(Utf8.encode(fields.join("&")))
}
