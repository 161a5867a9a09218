import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import type { CallOptions } from "./CallOptions.ts"

/** The headers of options that only name something. */
export const optionHeaders = (
  names: Names,
  { scenario, tags }: Pick<CallOptions, "scenario" | "tags">
): Record<string, string> => ({
  ...(scenario && { [Headers.scenario(names)]: scenario }),
  ...(tags && {
    [Headers.tags(names)]: Object.entries(tags)
      .map((tag) => tag.join("="))
      .join()
  })
})
