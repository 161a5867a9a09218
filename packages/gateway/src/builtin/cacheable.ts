import * as Effect from "effect/Effect"
import { emptyBytes } from "../internal/emptyBytes.ts"
import type { Answer } from "../upstream/Protocol.ts"
import type { Builtin } from "./Builtin.ts"

/** Whether the header `If-None-Match` names this version. */
export const matchesEtag = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch === "*" || ifNoneMatch.split(",").some((sent) => sent.trim().replace(/^W\//, "") === etag)

/** An answer that stays the same and may be cached; 304 for a caller who has it already. */
export const cacheable = (answer: Answer, etag: string, cacheControl: string): Builtin => {
  // An answer to another origin has other headers.
  const headers = { ...answer.headers, etag, "cache-control": cacheControl, vary: "Origin" }
  const whole = Effect.succeed({ ...answer, headers })
  const notModified = Effect.succeed({ ...answer, headers, status: 304, bytes: emptyBytes })
  return ({ request }) => {
    const ifNoneMatch = request.headers["if-none-match"]
    return ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, etag) ? notModified : whole
  }
}
