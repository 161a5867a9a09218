import type { Typed } from "../state/Draft.ts"
import type { Path } from "../state/setIn.ts"

/** What a field of the form needs to show and change its argument. */
export interface Form {
  readonly id: string
  readonly models: ReadonlyArray<string>
  readonly valueAt: (path: Path) => unknown
  /** What was typed, if the value alone would print differently. */
  readonly textAt: (path: Path) => Typed | undefined
  readonly change: (path: Path, value: unknown, typed?: Typed) => void
}
