import type { HttpServerRequest } from "effect/http/HttpServerRequest"

const host = /^[A-Za-z0-9.-]{1,255}(?::\d{1,5})?$|^\[[0-9a-fA-F:.]{2,45}\](?::\d{1,5})?$/

/** The origin that the caller used, for URLs that lead back to the sandbox. */
export const originOf = (request: HttpServerRequest): string => {
  const [, scheme = "http", authority = ""] = /^(https?):\/\/([^/?#]*)/.exec(request.originalUrl) ?? []
  const found = [request.headers["host"], authority].find((text) => text !== undefined && host.test(text))
  return `${scheme}://${found ?? "sandbox.invalid"}`
}
