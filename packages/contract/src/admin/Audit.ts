import type { Amount } from "../account/Amount.ts"

/** The books recomputed from their rows: `POST /admin/v1/audit`. */
export interface AuditReport {
  readonly at: string
  readonly took_ms: number
  /** `true`: no difference. */
  readonly correct: boolean
  readonly differences: ReadonlyArray<{
    readonly table: string
    readonly column: string
    readonly id: string
    readonly stored: string | null
    readonly expected: string | null
  }>
  /** Calls that have not ended, by state. */
  readonly open: number
  readonly running: number
  readonly unknown: number
  readonly written_off: number
  readonly overdrafts: number
  readonly totals: Readonly<Record<string, Amount>>
}
