import * as Result from "effect/Result"
import { parseQuery } from "../../internal/query.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import { type Names, takenName, upstreamsName } from "./names.ts"

/** The query with the upstream's names. Values keep their encoding. */
export const renamedQuery = (query: string, names: Names): Result.Result<string, Refused> => {
  const parts: Array<string> = []
  for (const part of query.split("&")) {
    const [name] = parseQuery(part)?.keys() ?? []
    if (name === undefined) continue
    const taken = takenName(names, name, "query")
    if (taken !== undefined) return Result.fail(taken)
    const sentAs = upstreamsName(names, name)
    const at = part.indexOf("=")
    parts.push(sentAs === name ? part : `${encodeURIComponent(sentAs)}${at === -1 ? "" : part.slice(at)}`)
  }
  return Result.succeed(parts.join("&"))
}
