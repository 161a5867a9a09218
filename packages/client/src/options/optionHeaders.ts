import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import type { CallOptions } from "./CallOptions.ts"

/** The headers of options that only name something. */
export const optionHeaders = (
  names: Names,
  { cache, scenario, tags }: Pick<CallOptions, "cache" | "scenario" | "tags">
): Record<string, string> => ({
  ...(cache && { [Headers.cache(names)]: typeof cache === "string" ? cache : `use; max-age=${cache.maxAge}` }),
  ...(scenario && { [Headers.scenario(names)]: scenario }),
  ...(tags && {
    [Headers.tags(names)]: Object.entries(tags)
      .map((tag) => tag.join("="))
      .join()
  })
})
