/** Stands for a limit that is not known: more than anyone uses. */
export const unlimited = 1e9

/** A limit that calls draw from, first come first served. */
export interface Limit {
  /** Milliseconds until `units` can be taken, after `ahead` units of earlier calls. */
  readonly wait: (units: number, now: number, ahead?: number) => number
  readonly take: (units: number, now: number, by: object) => void
}
