import type { CallPromise } from "../CallPromise.ts"
import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import type { UsageReport } from "@tollgate/contract/resources/UsageReport"
import type { PromiseCallOptions } from "../PromiseOptions.ts"
import type { LinkStartInput } from "../../operations/linkStart.ts"
import type { UsageInput } from "../../operations/usage.ts"

/** The account and its links. */
export interface AccountFunctions {
  /**
   * Starts linking a platform account: the user opens `auth_url` and approves.
   *
   * @example
   * const { auth_url } = await client.linkStart({ scopes: ["follows.write"] })
   */
  readonly linkStart: (input: LinkStartInput, options?: PromiseCallOptions) => CallPromise<LinkSession>

  /**
   * What the credential has used and been charged, by day. Times are Unix seconds.
   *
   * @example
   * const { totals } = await client.usage({ start_time: 1767225600 })
   */
  readonly usage: (input: UsageInput, options?: PromiseCallOptions) => CallPromise<UsageReport>
}
