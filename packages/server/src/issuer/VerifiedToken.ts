import { attempt } from "@tollgate/contract/attempt"
import * as Effect from "effect/Effect"
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from "jose"
import { algorithms, type IssuerSettings } from "./IssuerSettings.ts"
import type { IssuerKeys } from "./IssuerKeys.ts"

/** For clocks that differ. */
const toleranceSeconds = 5

const maxLength = 16_384
const shape = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** `JWT` says nothing of the kind; other values are tokens of other kinds (RFC 9068, RFC 8725). */
const types: ReadonlySet<unknown> = new Set([undefined, "at+jwt", "application/at+jwt", "jwt"])

const lower = (value: unknown): unknown => (typeof value === "string" ? value.toLowerCase() : value)

/** Whether the keys are worth asking for. Nothing of this is proven yet. */
export const mayBeOurs = (token: string, settings: IssuerSettings, now: number): boolean => {
  if (token.length > maxLength || !shape.test(token)) return false
  return (
    attempt(() => {
      const { alg, typ } = decodeProtectedHeader(token)
      const { exp, iss } = decodeJwt(token)
      const isAllowed = (settings.algorithms ?? algorithms).some((name) => name === alg) && types.has(lower(typ))
      return isAllowed && iss === settings.issuer && exp !== undefined && exp > now / 1_000 - toleranceSeconds
    }) ?? false
  )
}

type Verification = { readonly claims: JWTPayload } | "unknown key" | "invalid"

const failure = (error: unknown): Verification =>
  error instanceof errors.JWKSNoMatchingKey ? "unknown key" : "invalid"

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

const textIn = (claims: JWTPayload, name: string): string | undefined => {
  const value = claims[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

const listOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return value.split(" ").filter((word) => word !== "")
  return Array.isArray(value) ? value.filter((word) => typeof word === "string") : []
}

const accountOf = (claims: JWTPayload, settings: IssuerSettings): string | undefined => {
  const subject = textIn(claims, settings.subjectClaim ?? "sub")
  const { accountClaim, accounts = {} } = settings
  if (subject !== undefined && Object.hasOwn(accounts, subject)) return accounts[subject]
  return accountClaim === undefined ? undefined : textIn(claims, accountClaim)
}

const clientOf = (claims: JWTPayload, { clientClaim }: IssuerSettings): string | undefined =>
  clientClaim === undefined ? (textIn(claims, "client_id") ?? textIn(claims, "azp")) : textIn(claims, clientClaim)

/** The client of a token that names none. All such tokens of an account share one spending limit. */
const unnamedClient = "unnamed"

export const fromClaims = (claims: JWTPayload, settings: IssuerSettings) => ({
  /** `undefined`: its subject has no account here. */
  account: accountOf(claims, settings),
  client: clientOf(claims, settings) ?? unnamedClient,
  scopes: new Set(listOf(claims.scope ?? claims.scp)),
  audiences: typeof claims.aud === "string" ? [claims.aud] : (claims.aud ?? []),
  /** In milliseconds since the epoch, with the tolerance for clocks that differ. */
  endsAt: ((claims.exp ?? 0) + toleranceSeconds) * 1_000
})

export type VerifiedToken = Readonly<ReturnType<typeof fromClaims>>
