import type { Bound } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Result from "effect/Result"

interface ToolRequest {
  readonly method: string
  readonly url: string
  readonly body: Uint8Array | undefined
  readonly contentType: string | undefined
}

export const toRequest = (operation: Bound, given: unknown): Result.Result<ToolRequest, string> => {
  const rest = { ...(given as Record<string, unknown>) }
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name]))
    delete rest[name]
    return value
  })
  if (operation.request.body !== undefined) {
    return Result.succeed({
      method: operation.method,
      url: path,
      body: Utf8.encode(JSON.stringify(rest)),
      contentType: "application/json"
    })
  }
  const query = Object.entries(rest)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&")
  return Result.succeed({
    method: operation.method,
    url: query === "" ? path : `${path}?${query}`,
    body: undefined,
    contentType: undefined
  })
}
