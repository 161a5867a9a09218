import * as Headers from "@tollgate/contract/Headers"
import { parseTags, type Tags } from "@tollgate/contract/Tags"
import * as Result from "effect/Result"
import type { Routed } from "../../exchange/Exchange.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

const none: Result.Result<Tags | undefined, Refused> = Result.succeed(undefined)

/** Reads what the caller files the call under. */
export const tags = ({ operation: { names }, request }: Routed): Result.Result<Tags | undefined, Refused> => {
  const text = request.headers[Headers.tags.key(names)]
  if (text === undefined) return none
  const header = Headers.tags(names)
  return Result.mapError(parseTags(text), (wrong) =>
    refuse("invalid_request", `${header} must be like team=search,job=nightly: ${wrong}.`, { param: header })
  )
}
