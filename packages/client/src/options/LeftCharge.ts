/** Asks for the charge of a stream that ended without telling it: `leftCharge` of `@tollgate/client/account`. */
export interface LeftCharge {
  readonly longestMillis: number
}
