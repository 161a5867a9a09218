/** More than anyone uses: what a limit is while nobody has said what it is. */
export const unlimited = 1e9

/** Something of which calls take their part, whoever came first. */
export interface Limit {
  /** Milliseconds until so much can be taken, with so much more before it. */
  readonly wait: (units: number, now: number, ahead?: number) => number
  readonly take: (units: number, now: number, by: object) => void
}
