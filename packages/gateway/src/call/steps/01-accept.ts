import type { Accepted, Request } from "../../exchange/Exchange.ts"
import type { Router } from "../router/Router.ts"

/** `POST /v1/models/m:generateImages` has the path of a model whose name contains a colon, but means a method of Gemini's. */
const isOtherMethod = /^\/v1(?:beta)?\/models\/[^/]+:/

/** Gives the request its id and finds the operations at its path, which becomes the operation's own. Nothing is refused here. */
export const accept = (router: Router, request: Request, requestId: string, now: number): Accepted => {
  const { url } = request
  const at = url.indexOf("?")
  const path = at === -1 ? url : url.slice(0, at)
  const query = at === -1 ? "" : url.slice(at + 1)
  const found = router.match(path, request.method, request.headers)
  const match = found?.operations.has(request.method) === false && isOtherMethod.test(path) ? undefined : found
  return { request, requestId, since: now - (request.waited ?? 0), path: match?.path ?? path, query, match }
}
