import * as Utf8 from "@tollgate/contract/Utf8"
import * as Result from "effect/Result"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

export const notJson = refuse("invalid_request", "The body is not valid JSON in UTF-8.")
const invalid = Result.fail(notJson)
const missing = Result.fail(refuse("invalid_request", "A JSON body is required."))

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
  bytes.length === 0 ? missing : Result.flatMap(decodeText(bytes), parseText)
