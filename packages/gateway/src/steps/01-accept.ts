import type { Accepted } from "../Exchange.ts"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Router } from "../Router.ts"

/** Gives the request its id and finds out which path it is for. Nothing is refused here. */
export const accept = (router: Router, request: HttpServerRequest, requestId: string): Accepted => {
  const url = request.url
  const at = url.indexOf("?")
  const path = at === -1 ? url : url.slice(0, at)
  return { request, requestId, path, query: at === -1 ? "" : url.slice(at + 1), match: router.match(path) }
}
