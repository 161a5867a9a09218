import type { UsageReport } from "@tollgate/contract/resources/UsageReport"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Refused } from "../Refused.ts"
import type { WindowQuery } from "./Window.ts"

/** A key, or a whole account if no key is named. */
export interface Owner {
  readonly account: string
  readonly key?: string | undefined
}

/** Usage reports. A gateway without this service does not answer `GET /v1/usage`. */
export class Usage extends Context.Service<
  Usage,
  { readonly report: (owner: Owner, query: WindowQuery) => Effect.Effect<UsageReport, Refused> }
>()("@tollgate/gateway/Usage") {}
