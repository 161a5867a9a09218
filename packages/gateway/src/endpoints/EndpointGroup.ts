import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponses from "effect/http/HttpServerResponse"
import * as RequestIds from "../exchange/RequestIds.ts"
import * as Headers from "@tollgate/contract/Headers"

type HttpServerResponse = HttpServerResponses.HttpServerResponse
type Answer<E, R> = Effect.Effect<HttpServerResponse, E, R>

/** A part of what the gateway serves over HTTP. */
export interface EndpointGroup<E = never, R = never> {
  /** The only paths it is asked for: `/a` is that path alone, `/a/*` is every path below it. */
  readonly paths: ReadonlyArray<string>
  /** `path` is the URL without its query. Returns `undefined` to leave the request to the operations. */
  readonly answer: (request: HttpServerRequest, path: string) => Answer<E, R> | undefined
}

export const withAllBelow = (path: string): ReadonlyArray<string> => [path, `${path}/*`]

interface Claim<F> {
  /** The whole path, or the beginning of all paths. */
  readonly start: string
  readonly isWhole: boolean
  readonly endpoints: F
}

const slash = 47
const questionMark = 63

const firstSegment = (url: string): string => {
  let end = 1
  for (; end < url.length; end++) {
    const code = url.charCodeAt(end)
    if (code === slash || code === questionMark) break
  }
  return url.slice(1, end)
}

/** The claims by the first segment of their paths, longer ones first. Throws if two are for the same path. */
const claimsOf = <E, R>(
  endpointGroups: ReadonlyArray<EndpointGroup<E, R>>
): ReadonlyMap<string, ReadonlyArray<Claim<EndpointGroup<E, R>>>> => {
  const claimed = new Set<string>()
  const claims = endpointGroups.flatMap((endpoints) =>
    endpoints.paths.map((path) => {
      if (claimed.has(path)) throw new Error(`Two endpointGroups claim ${path}.`)
      claimed.add(path)
      const isWhole = !path.endsWith("/*")
      return { start: isWhole ? path : path.slice(0, -1), isWhole, endpoints }
    })
  )
  return Map.groupBy(
    claims.toSorted((a, b) => b.start.length - a.start.length),
    ({ start }) => firstSegment(start)
  )
}

/** Gives requests of some pages a credential. Fails with the answer if that cannot be found out. */
export interface PageCredentials {
  /** In lower case. Requests without this header are left alone. */
  readonly header: string
  readonly add: (request: HttpServerRequest) => Effect.Effect<HttpServerRequest, HttpServerResponse>
}

/** A cache keeps answers to an `Authorization` to itself. It does not see one that was added here. */
const unshared = (response: HttpServerResponse): HttpServerResponse =>
  response.headers["cache-control"] === undefined
    ? HttpServerResponses.setHeader(response, "cache-control", "no-store")
    : response

/** Each request goes to the endpoint group that claims its path, and to `operations` if none does or that endpoint group leaves it. */
export const serve = <E, R, E2, R2>(
  endpointGroups: ReadonlyArray<EndpointGroup<E, R>>,
  operations: (request: HttpServerRequest) => Answer<E2, R2>,
  pages?: PageCredentials
): Answer<E | E2, R | R2 | HttpServerRequest> => {
  const claims = claimsOf(endpointGroups)
  const route = (request: HttpServerRequest): Answer<E | E2, R | R2> => {
    const { url } = request
    const candidates = claims.get(firstSegment(url))
    if (candidates === undefined) return operations(request)
    const [path = ""] = url.split("?", 1)
    const claim = candidates.find(({ isWhole, start }) => (isWhole ? path === start : path.startsWith(start)))
    return claim?.endpoints.answer(request, path) ?? operations(request)
  }
  return HttpServerRequest.use((request): Answer<E | E2, R | R2> => {
    if (pages === undefined || request.headers[pages.header] === undefined) return route(request)
    return Effect.matchEffect(pages.add(request), {
      onFailure: Effect.succeed,
      onSuccess: (given) => {
        const answer = Effect.provideService(route(given), HttpServerRequest, given)
        return given === request ? answer : Effect.map(answer, unshared)
      }
    })
  })
}

const name = Headers.requestId.toLowerCase()

/** Gives the answers of endpoint groups an id, if they have none: pages and documents are the same for all. */
export const withRequestId = Effect.map(
  RequestIds.make,
  (nextId) =>
    <E, R>({ answer, paths }: EndpointGroup<E, R>): EndpointGroup<E, R> => ({
      paths,
      answer: (request, path) => {
        const answered = answer(request, path)
        return (
          answered &&
          Effect.map(answered, (response) =>
            response.headers[name] === undefined ? HttpServerResponses.setHeader(response, name, nextId()) : response
          )
        )
      }
    })
)
