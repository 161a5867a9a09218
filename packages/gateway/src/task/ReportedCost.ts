import type { NanoUsd } from "@tollgate/contract/Money"
import * as Context from "effect/Context"

/**
 * What the upstream says that a canceled task has cost, read from the `usage` of its last answer. The interface shows no
 * field for it, so unless somebody says where it stands none is read, and a canceled task costs nothing: how long a video
 * it had made is no amount of money.
 */
export const ReportedCost = Context.Reference<(usage: unknown) => NanoUsd | undefined>(
  "@tollgate/gateway/ReportedCost",
  {
    defaultValue: () => () => undefined
  }
)
