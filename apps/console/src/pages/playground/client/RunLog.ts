import type { HookRequest, HookResponse } from "@tollgate/client"
import type { Ended, Failed } from "@tollgate/client/observe"
import * as Context from "effect/Context"

/** Gets what the client does during one run, as it does it. */
export interface RunLog {
  readonly sent: (request: HookRequest) => void
  readonly answered: (response: HookResponse) => void
  readonly attempted: (failed: Failed | undefined) => void
  readonly ended: (ended: Ended) => void
}

/** Set for the effects of a run, so that the hooks of the client, which all runs share, know whose request it is. */
export const RunLog = Context.Reference<RunLog | undefined>("console/RunLog", { defaultValue: () => undefined })
