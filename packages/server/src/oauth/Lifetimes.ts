/** How long tokens are valid. */
export interface Lifetimes {
  readonly accessTokenSeconds: number
  readonly refreshTokenSeconds: number
}
