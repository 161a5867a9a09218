import * as Headers from "../../Headers.ts"
import type { Call } from "./Snippet.ts"

/** The options of a call as the headers that say the same. `undefined`: it has none. */
export const optionHeaders = ({
  bound: { names },
  options: { maxPrice, scenario } = {}
}: Call): Readonly<Record<string, string>> | undefined =>
  maxPrice === undefined && scenario === undefined
    ? undefined
    : {
        ...(maxPrice === undefined ? {} : { [Headers.maxPrice(names)]: maxPrice }),
        ...(scenario === undefined ? {} : { [Headers.scenario(names)]: scenario })
      }
