import type { Accepted, Request } from "../Exchange.ts"
import type { Router } from "../Router.ts"

/** Gives the request its id and finds the operations at its path. Nothing is refused here. */
export const accept = (router: Router, request: Request, requestId: string): Accepted => {
  const { url } = request
  const at = url.indexOf("?")
  const path = at === -1 ? url : url.slice(0, at)
  return { request, requestId, path, query: at === -1 ? "" : url.slice(at + 1), match: router.match(path) }
}
