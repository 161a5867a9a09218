import * as Utf8 from "@tollgate/contract/Utf8"
import * as Result from "effect/Result"
import { members, splice } from "../../internal/jsonEdit.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import { type Names, takenName, upstreamsName } from "./names.ts"

/** The body with the upstream's names for its fields. All other bytes stay. What is not an object stays as it is. */
export const renamedBody = (bytes: Uint8Array, names: Names): Result.Result<Uint8Array, Refused> => {
  const edits: Array<{ from: number; to: number; insert: Uint8Array }> = []
  for (const { from, name, nameEnd } of members(bytes) ?? []) {
    const taken = takenName(names, name, "body")
    if (taken !== undefined) return Result.fail(taken)
    const sentAs = upstreamsName(names, name)
    if (sentAs !== name) edits.push({ from, to: nameEnd, insert: Utf8.encode(JSON.stringify(sentAs)) })
  }
  return Result.succeed(edits.length === 0 ? bytes : splice(bytes, 0, bytes.length, edits))
}
