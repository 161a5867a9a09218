import { errorFamilies, namedFamilies } from "../errors/families.ts"
import * as Headers from "../Headers.ts"
import type { Names } from "../Names.ts"
import { type Bound, isQuotable } from "../Operation.ts"
import { contractSource } from "../operations/contractSource.ts"
import { contractVersion } from "../operations/contractVersion.ts"
import { salesData } from "../operations/salesData.ts"
import { taskGet } from "../operations/taskGet.ts"
import { CostState } from "../Outcome.ts"
import { headerNames } from "../RateLimits.ts"
import type { Components } from "./components.ts"
import type { Family } from "../errors/Family.ts"
import { isShared } from "../operations/modelGet.ts"

/** The families whose SDKs call an operation: its own, and those that tell themselves apart at a shared address. */
export const familiesAt = ({ family, id }: Bound): ReadonlyArray<Family> =>
  isShared(id) ? [family, ...namedFamilies, "gemini"] : [family]

interface Header {
  readonly description: string
  readonly schema: object
  readonly required?: true
  /** Its name among the components, if that is not its own. */
  readonly component?: string
}

const text = (description: string): Header => ({ description, schema: { type: "string" } })
const count = (description: string): Header => ({ description, schema: { type: "integer", minimum: 0 } })

const limits: Readonly<Record<string, Header>> = {
  [headerNames.limitRequests]: count("Requests per minute that the key may make."),
  [headerNames.remainingRequests]: count("Requests that are left now."),
  [headerNames.resetRequests]: count("When all requests are left again, in Unix seconds."),
  [headerNames.limitTokens]: count("Tokens per minute that the key may use."),
  [headerNames.remainingTokens]: count("Tokens that are left now."),
  [headerNames.resetTokens]: count("When all tokens are left again, in Unix seconds."),
  "RateLimit-Policy": text('The limits of a minute: `"requests";q=60;w=60`. An IETF draft.'),
  RateLimit: text('What is left: `"requests";r=59;t=1`. An IETF draft.')
}

const requestId: Header = { ...text("Names the request, for questions to the operator."), required: true }
const sameRequestId: Header = text("The same as X-Request-ID.")

const cost = (names: Names): Readonly<Record<string, Header>> => ({
  [Headers.costState(names)]: {
    description:
      "`settled`: charged; `estimated`: charged by a count of the text; `pending`: known later; `none`: no charge. " +
      "Its absence proves nothing.",
    schema: { type: "string", enum: CostState.literals }
  }
})

const amount = (names: Names): Readonly<Record<string, Header>> => ({
  [Headers.cost(names)]: count("What was charged, in micro-USD.")
})

const etag: Readonly<Record<string, Header>> = { ETag: text("Identifies the body.") }

const replayed = (names: Names): Readonly<Record<string, Header>> => ({
  [Headers.replayedCost(names)]: count(
    "What the first call was charged, in micro-USD, on its stored answer. Absent until it is settled."
  ),
  [Headers.idempotentReplayed]: {
    description: "This is the stored answer of an earlier call with the same idempotency key; it cost nothing.",
    schema: { type: "string", enum: ["true"] }
  }
})

const served = (names: Names): Readonly<Record<string, Header>> => ({
  [Headers.servedModel(names)]: text("The model that answered, under its upstream's name."),
  [Headers.upstream(names)]: text("The upstream that answered."),
  [Headers.paidAgain(names)]: text("The upstream of a first attempt that may have run too. It is not charged."),
  [Headers.dropped(names)]: text("What the upstream's protocol cannot express, and was left out of the call.")
})

const kept = (names: Names): Readonly<Record<string, Header>> => ({
  [Headers.cache(names)]: {
    description:
      "`hit; age=12`: a kept answer, and its age in seconds. `miss`: the call was executed. Absent if not asked for.",
    schema: { type: "string", pattern: "^(miss|hit; age=\\d+)$" }
  }
})

const resumable = (names: Names): Readonly<Record<string, Header>> => ({
  [Headers.resumable(names)]: text("The stream can be resumed. It is that of this call.")
})

const shouldRetry: Readonly<Record<string, Header>> = {
  [Headers.shouldRetry]: text("`false`: do not repeat the request by itself. It could pay twice, or cannot help.")
}

const waits: Readonly<Record<string, Header>> = {
  "Retry-After": count("Seconds to wait before repeating the request."),
  [Headers.longRetryAfter]: count("The same as Retry-After, if it is more than 60.")
}

const challenge: Header = { ...text("The scheme of the credential, and where to get one."), required: true }
const missingScope: Header = { ...text("The scope that the access token lacks."), component: "WWW-Authenticate-Scope" }
const allow: Header = { ...text("The methods that the path has."), required: true }

const hash: Header = { description: "", schema: { type: "string", pattern: "^[0-9a-f]{64}$" } }

const contract = (names: Names): Readonly<Record<string, Header>> => ({
  [Headers.contractHash(names)]: { ...hash, description: "The hash of this gateway's contract." },
  [Headers.docsRevision(names)]: { ...hash, description: "The hash of the contract before the operator's settings." }
})

/** Documents that a caller may keep, and ask for again with their ETag. */
export const isCacheable = ({ id }: Bound): boolean => id === contractVersion.id || id === contractSource.id

const namesContract = (operation: Bound): boolean => isCacheable(operation) || operation.id === salesData.id

const byStatus = (operation: Bound, status: number | "default"): Readonly<Record<string, Header>> => {
  if (status === 401) return { "WWW-Authenticate": challenge }
  if (status === 403) return { "WWW-Authenticate": missingScope }
  if (status === 405) return { Allow: allow }
  if (status === 429 || status === 503) return waits
  if (status === 200 && isQuotable(operation)) return replayed(operation.names)
  return status === "default" ? replayed(operation.names) : {}
}

/** Headers of the upstream that the operation names. Its own words for them are elsewhere in the document. */
const named = ({ answerHeaders = [] }: Bound): Readonly<Record<string, Header>> =>
  Object.fromEntries(
    answerHeaders
      .filter((name) => name !== "etag" && name !== "retry-after")
      .map((name) => [name, text("As the upstream sends it.")])
  )

/** The headers of an answer. Those that are not required depend on the call. */
export const headersOf = (operation: Bound, status: number | "default", components: Components): object => {
  const { access, id, names, upstream } = operation
  const succeeds = status === 200 || status === 304
  const all: Readonly<Record<string, Header>> = {
    [Headers.requestId]: requestId,
    ...Object.fromEntries(
      familiesAt(operation).flatMap((name) => {
        const { requestIdHeader } = errorFamilies[name]
        return requestIdHeader === undefined ? [] : [[requestIdHeader, sameRequestId]]
      })
    ),
    // The path of an open operation asks for a credential on other methods.
    ...(access === "open" && status !== 405 ? {} : limits),
    ...cost(names),
    ...(isQuotable(operation) || id === taskGet.id ? amount(names) : {}),
    ...(upstream === "gateway" && !(isCacheable(operation) && succeeds) ? {} : etag),
    ...named(operation),
    ...(namesContract(operation) ? contract(names) : {}),
    // Any upstream may be told a model.
    ...(upstream === "gateway" ? {} : served(names)),
    ...(succeeds ? {} : shouldRetry),
    ...(status === 200 && operation.kept !== undefined ? kept(names) : {}),
    ...(status === 200 && isQuotable(operation) && operation.event !== undefined ? resumable(names) : {}),
    ...byStatus(operation, status)
  }
  return Object.fromEntries(
    Object.entries(all).map(([name, { component = name, ...header }]) => [
      name,
      components.refer("headers", component, () => header)
    ])
  )
}
