import { namedFamilies } from "../errors/families.ts"
import type { Family } from "../errors/Family.ts"
import type { Bound } from "../Operation.ts"
import { isShared } from "../operations/modelGet.ts"

/** The families whose SDKs call an operation: its own, and those that tell themselves apart at a shared address. */
export const familiesAt = ({ family, id }: Bound): ReadonlyArray<Family> =>
  isShared(id) ? [family, ...namedFamilies] : [family]
