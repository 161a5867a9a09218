import type { JWTPayload } from "jose"
import type { IssuerSettings } from "./IssuerSettings.ts"
import { toleranceSeconds } from "./verifyToken.ts"

/** What a verified access token says. */
export interface VerifiedToken {
  /** `undefined`: its subject has no account here. */
  readonly account: string | undefined
  readonly client: string
  readonly scopes: ReadonlySet<string>
  /** Its audiences. */
  readonly audiences: ReadonlyArray<string>
  /** In milliseconds since the epoch, with the tolerance for clocks that differ. */
  readonly endsAt: number
}

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

export const fromClaims = (claims: JWTPayload, settings: IssuerSettings): VerifiedToken => ({
  account: accountOf(claims, settings),
  client: clientOf(claims, settings) ?? unnamedClient,
  scopes: new Set(listOf(claims.scope ?? claims.scp)),
  audiences: typeof claims.aud === "string" ? [claims.aud] : (claims.aud ?? []),
  endsAt: ((claims.exp ?? 0) + toleranceSeconds) * 1_000
})
