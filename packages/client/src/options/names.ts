import { editDistance } from "@tollgate/contract/editDistance"
import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import type { CallOptions } from "./CallOptions.ts"

const shared = [
  "timeout",
  "attemptTimeout",
  "idleTimeout",
  "retries",
  "headers",
  "maxPrice",
  "scenario",
  "tags"
] as const

/** What `with` of a client takes. */
export const derivedNames = [...shared, "budget", "wait"] as const

/** The options of a client, without those of its transport. */
export const clientNames = [
  ...shared,
  "credential",
  "baseUrl",
  "names",
  "bindings",
  "discover",
  "observe",
  "log",
  "beforeRequest",
  "afterResponse",
  "retry",
  "pace"
] as const

/** The options of a call that become its settings. */
export const callNames = [...shared, "idempotencyKey", "cache", "extra"] as const

/** What other clients call the credential. */
const isKey = /^(api_?key|token)$/i

/** What is taken out of the options of a stream, and of a promise, before the others are checked. */
export const takenNames = (isStream: boolean, isPromise: boolean): ReadonlyArray<string> => [
  ...(isPromise ? ["signal"] : []),
  ...(isStream ? ["onCharge", "resumable"] : [])
]

/** Throws for a name that is not known. If it were ignored, a misspelt `maxPrice` would mean that there is no cap. */
export const refuseUnknown = (
  options: object,
  own: ReadonlyArray<string>,
  taken: () => ReadonlyArray<string> = () => []
): void => {
  for (const name in options) {
    if (own.includes(name)) continue
    const known = [...own, ...taken()]
    const distanceTo = (other: string) => (other === "credential" && isKey.test(name) ? 0 : editDistance(name, other))
    const nearest = known.reduce((one, other) => (distanceTo(other) < distanceTo(one) ? other : one))
    const isNear = distanceTo(nearest) < nearest.length / 2
    throw new TypeError(
      `Unknown option ${name}. ${isNear ? `Did you mean ${nearest}?` : `There are: ${known.join(", ")}`}`
    )
  }
}

/** The headers of options that only name something. */
export const optionHeaders = (
  names: Names,
  { cache, scenario, tags }: Pick<CallOptions, "cache" | "scenario" | "tags">
): Record<string, string> => ({
  ...(cache && { [Headers.cache(names)]: typeof cache === "string" ? cache : `use; max-age=${cache.maxAge}` }),
  ...(scenario && { [Headers.scenario(names)]: scenario }),
  ...(tags && {
    [Headers.tags(names)]: Object.entries(tags)
      .map((tag) => tag.join("="))
      .join()
  })
})
