import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { errorFamilies, familyNamedIn, familyOf } from "@tollgate/contract/errors/families"
import type { Bound } from "@tollgate/contract/Operation"
import type { Keys, Principal, TokenGrant } from "@tollgate/ledger/credential/Keys"
import type { Accepted, Authenticated, Request } from "../../exchange/Exchange.ts"
import { challenge, isFor, type Resources } from "../../identity/grant/Resources.ts"
import { parseQuery } from "../../internal/query.ts"
import type { CallerLimits } from "../../limits/NameLimit.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

const malformed = Symbol()

const bearer = /^Bearer +([^\s]+)$/i

const keyInQuery = (query: string): string | undefined => (query === "" ? undefined : parseQuery(query)?.get("key"))

/**
 * Reads the key from where the official SDKs put it, each on its own protocol's routes only. Where there is no operation, any
 * of these places counts: the answer is then that there is none. The tool server reads the header `Authorization` only.
 */
const readKey = ({ query, request }: Accepted, operation: Bound | undefined): string | typeof malformed | undefined => {
  const { headers } = request
  if (headers.authorization !== undefined) return bearer.exec(headers.authorization)?.[1] ?? malformed
  if (request.via === "tools") return undefined
  if (operation === undefined) return headers["x-api-key"] ?? headers["x-goog-api-key"] ?? keyInQuery(query)
  const own = familyOf(operation)
  const { keyHeader, keyParameter } =
    own.keyHeader === undefined ? errorFamilies[familyNamedIn(headers) ?? operation.family] : own
  const sent = keyHeader === undefined ? undefined : headers[keyHeader]
  return keyParameter === undefined ? sent : (sent ?? keyInQuery(query))
}

const routeNotFound = Effect.fail(refuse("route_not_found", "No route matches this path."))

type Unauthorized = Effect.Effect<never, Refused>

/** The refusals of one endpoint group, made once. */
const refusalsOf = (resources: Resources | undefined, via: Request["via"]) => {
  const failing = (code: "missing_credential" | "invalid_credential", text: string, parameters = {}): Unauthorized =>
    Effect.fail(refuse(code, text, { headers: { "WWW-Authenticate": challenge(resources, via, parameters) } }))
  const wrong = { error: "invalid_token" }
  return {
    missing: failing("missing_credential", "Send a credential: Authorization: Bearer <key>."),
    unread: (found: string) =>
      failing("missing_credential", `${found} is not read on this path. Send it as Authorization: Bearer <key>.`),
    invalid: failing(
      "invalid_credential",
      "The credential is not valid: the key is incomplete, unknown, revoked or expired.",
      wrong
    ),
    /** A valid access token, sent to another resource than its own. */
    misplaced: (resource: string) =>
      failing(
        "invalid_credential",
        `This access token is for ${resource} only; ask for one with resource=${via === "tools" ? resources?.tools : resources?.api}.`,
        wrong
      ),
    notBearer: failing("invalid_credential", "The header Authorization must be: Bearer <key>.", wrong)
  }
}

/** A key that is not read on this path, by the place where it was found. */
const unreadKey = ({ query, request: { headers } }: Accepted): string | undefined => {
  if (headers["x-api-key"] !== undefined) return "The key in x-api-key"
  if (headers["x-goog-api-key"] !== undefined) return "The key in x-goog-api-key"
  return keyInQuery(query) === undefined ? undefined : "A key in the query (?key=)"
}

const tooManyOpen = (retryAfter: number): Refused =>
  refuse("rate_limit_exceeded", "Too many requests without a credential came from this address; slow down.", {
    retryAfter,
    limit: "address"
  })

const tooManyWrong = (retryAfter: number): Refused =>
  refuse("rate_limit_exceeded", "Too many wrong credentials came from this address; fix the key.", {
    retryAfter,
    limit: "wrong_credentials"
  })

const maxProven = 10_000

/** How many credentials are looked up at once for addresses that sent too many wrong ones. The store stays free for calls. */
const mostLookUps = 4

/** Comes before the operation, so that a caller without a credential does not learn which routes exist. */
export const credential = (
  keys: Keys["Service"],
  { open, proven, wrong }: CallerLimits["Service"],
  resources?: Resources
) => {
  const overHttp = refusalsOf(resources, undefined)
  const asTools = refusalsOf(resources, "tools")
  const lookUps = Semaphore.makeUnsafe(mostLookUps)
  const refusals = ({ request }: Accepted) => (request.via === "tools" ? asTools : overHttp)

  const admitOpen = (exchange: Accepted): Effect.Effect<Authenticated, Refused> =>
    Effect.clockWith((clock) => {
      const wait = open.take(exchange.request.address?.(), clock.currentTimeMillisUnsafe())
      return wait > 0 ? Effect.fail(tooManyOpen(wait)) : Effect.succeed({ ...exchange, principal: undefined })
    })

  /** An access token is taken only from the header `Authorization`, and only for the resource it was issued for. */
  const isUsable = ({ request }: Accepted, grant: TokenGrant): boolean =>
    resources !== undefined &&
    request.headers.authorization !== undefined &&
    isFor(resources, grant.resource, request.via)

  const notUsable = (exchange: Accepted, known: Option.Option<Principal>): Unauthorized => {
    const { invalid, misplaced } = refusals(exchange)
    const grant = Option.isSome(known) ? known.value.grant : undefined
    return grant === undefined || resources === undefined || exchange.request.headers.authorization === undefined
      ? invalid
      : misplaced(grant.resource)
  }

  /** Only a wrong credential is counted and slowed down. */
  const judge = (
    exchange: Accepted,
    text: string | typeof malformed,
    known: Option.Option<Principal>,
    found = known
  ): Effect.Effect<Authenticated, Refused> =>
    Effect.clockWith((clock) => {
      if (text !== malformed && Option.isSome(found)) {
        if (proven.size >= maxProven) proven.clear()
        proven.add(text)
        return Effect.succeed({ ...exchange, principal: found.value })
      }
      const wait = Option.isSome(known) ? 0 : wrong.take(exchange.request.address?.(), clock.currentTimeMillisUnsafe())
      if (wait > 0) return Effect.fail(tooManyWrong(wait))
      return text === malformed ? refusals(exchange).notBearer : notUsable(exchange, known)
    })

  const find = (exchange: Accepted, text: string): Effect.Effect<Authenticated, Refused> =>
    Effect.flatMapEager(keys.find(text), (known) => {
      const principal = Option.isSome(known) ? known.value : undefined
      const isRight = principal?.grant === undefined || isUsable(exchange, principal.grant)
      if (!proven.has(text)) return judge(exchange, text, known, isRight ? known : Option.none())
      // A key that has ended is not a guess.
      return principal !== undefined && isRight
        ? Effect.succeed({ ...exchange, principal })
        : notUsable(exchange, known)
    })

  return (exchange: Accepted): Effect.Effect<Authenticated, Refused> => {
    const operation = exchange.match?.operations.get(exchange.request.method)
    if (operation?.access === "open") return admitOpen(exchange)
    const text = readKey(exchange, operation)
    if (text === undefined) {
      if (operation?.access === "hidden") return routeNotFound
      const unread = unreadKey(exchange)
      return unread === undefined ? refusals(exchange).missing : refusals(exchange).unread(unread)
    }
    if (text === malformed) return judge(exchange, text, Option.none())
    if (proven.has(text) || wrong.size === 0) return find(exchange, text)
    return Effect.clockWith((clock) => {
      const wait = wrong.wait(exchange.request.address?.(), clock.currentTimeMillisUnsafe())
      return wait > 0 ? lookUps.withPermits(1)(find(exchange, text)) : find(exchange, text)
    })
  }
}
