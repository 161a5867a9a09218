import type { Accepted, Request } from "../Exchange.ts"
import type { ObservedCall } from "../observe/ObservedCall.ts"
import type { Match, Router } from "../Router.ts"

type Observe = (request: Request, requestId: string, match: Match | undefined) => ObservedCall

/** Gives the request its id and finds the operations at its path. Nothing is refused here. */
export const accept = (router: Router, request: Request, requestId: string, observe?: Observe): Accepted => {
  const { url } = request
  const at = url.indexOf("?")
  const path = at === -1 ? url : url.slice(0, at)
  const query = at === -1 ? "" : url.slice(at + 1)
  const match = router.match(path)
  return { request, requestId, path, query, match, observed: observe?.(request, requestId, match) }
}
