import * as Utf8 from "@tollgate/contract/Utf8"
import * as Result from "effect/Result"
import { refuse, type Refused } from "../Refused.ts"

export const parseJson = (bytes: Uint8Array): Result.Result<unknown, Refused> => {
  try {
    return Result.succeed(JSON.parse(Utf8.decodeStrict(bytes)))
  } catch {
    return Result.fail(
      refuse(
        "invalid_request",
        bytes.length === 0 ? "A JSON body is required." : "The body is not valid JSON in UTF-8."
      )
    )
  }
}
