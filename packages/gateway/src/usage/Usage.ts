import type { UsageReport } from "@tollgate/contract/resources/UsageReport"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Refused } from "../Refused.ts"
import type { Asked } from "./Window.ts"

/** Whose usage: of one key, or of the whole account where none is named. */
export interface Owner {
  readonly account: string
  readonly key?: string | undefined
}

/** What was used and charged. A gateway without it does not answer `GET /v1/usage`. */
export class Usage extends Context.Service<
  Usage,
  { readonly report: (owner: Owner, asked: Asked) => Effect.Effect<UsageReport, Refused> }
>()("@tollgate/gateway/Usage") {}
