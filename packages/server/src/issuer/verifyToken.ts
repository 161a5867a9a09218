import * as Effect from "effect/Effect"
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from "jose"
import { algorithms, type IssuerSettings } from "./IssuerSettings.ts"
import type { IssuerKeys } from "./readKeys.ts"

/** For clocks that differ. */
export const toleranceSeconds = 5

const maxLength = 16_384
const shape = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** `JWT` says nothing of the kind; other values are tokens of other kinds (RFC 9068, RFC 8725). */
const types: ReadonlySet<unknown> = new Set([undefined, "at+jwt", "application/at+jwt", "jwt"])

const lower = (value: unknown): unknown => (typeof value === "string" ? value.toLowerCase() : value)

/** Whether the keys are worth asking for. Nothing of this is proven yet. */
export const mayBeOurs = (token: string, settings: IssuerSettings, now: number): boolean => {
  if (token.length > maxLength || !shape.test(token)) return false
  try {
    const { alg, typ } = decodeProtectedHeader(token)
    const { exp, iss } = decodeJwt(token)
    const isAllowed = (settings.algorithms ?? algorithms).some((name) => name === alg) && types.has(lower(typ))
    return isAllowed && iss === settings.issuer && exp !== undefined && exp > now / 1_000 - toleranceSeconds
  } catch {
    return false
  }
}

export type Verification = { readonly claims: JWTPayload } | "unknown key" | "invalid"

const failure = (error: unknown): Verification =>
  error instanceof errors.JWKSNoMatchingKey ? "unknown key" : "invalid"

/** Verifies signature, issuer, audience and times. */
export const verifyToken = (
  token: string,
  keys: IssuerKeys,
  settings: IssuerSettings,
  audiences: ReadonlyArray<string>,
  now: number
): Effect.Effect<Verification> =>
  Effect.promise(async () => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: [...(settings.algorithms ?? algorithms)],
        issuer: settings.issuer,
        audience: [...audiences],
        requiredClaims: ["exp"],
        clockTolerance: toleranceSeconds,
        currentDate: new Date(now)
      })
      // A token that is bound to a key of its holder is not a bearer token.
      return payload.cnf === undefined ? { claims: payload } : "invalid"
    } catch (error) {
      return failure(error)
    }
  })
