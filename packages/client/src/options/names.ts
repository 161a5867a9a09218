import { editDistance } from "@tollgate/contract/editDistance"

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

/** Throws for a name that is not known. If it were ignored, a misspelt `maxPrice` would mean that there is no cap. */
export const refuseUnknown = (options: object, known: ReadonlyArray<string>): void => {
  for (const name in options) {
    if (known.includes(name)) continue
    const distanceTo = (other: string) => (other === "credential" && isKey.test(name) ? 0 : editDistance(name, other))
    const nearest = known.reduce((one, other) => (distanceTo(other) < distanceTo(one) ? other : one))
    const isNear = distanceTo(nearest) < nearest.length / 2
    throw new TypeError(
      `Unknown option ${name}. ${isNear ? `Did you mean ${nearest}?` : `There are: ${known.join(", ")}`}`
    )
  }
}
