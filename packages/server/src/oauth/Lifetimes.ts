// Not in Provider.ts: what programs see of this package must not need the types of `oidc-provider`.

/** How long tokens are valid. */
export interface Lifetimes {
  readonly accessTokenSeconds: number
  readonly refreshTokenSeconds: number
  /** How long a refresh token that was used gets the same answer again. */
  readonly refreshGraceSeconds: number
}
