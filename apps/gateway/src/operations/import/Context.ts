import type { Findings } from "./Findings.ts"
import type { References } from "./References.ts"
import type { SchemaWriter } from "./Schemas.ts"

/** What every part of an import uses. */
export interface Context {
  readonly findings: Findings
  readonly references: References
  readonly schemas: SchemaWriter
}
