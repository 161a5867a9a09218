import type { TagUsage } from "@tollgate/contract/account/TagUsage"
import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { Margin, MarginQuery } from "@tollgate/contract/admin/Margin"
import type { UsageReport } from "@tollgate/contract/resources/UsageReport"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { WindowQuery } from "./Window.ts"

/** A key, or a whole account if no key is named. */
export interface Owner {
  readonly account: string
  readonly key?: string | undefined
  /** The first of the key's rotations, if all of them are meant. Reports are of one key. */
  readonly rootKey?: string | undefined
}

/** An owner, or the whole gateway if no account is named. */
export interface TagOwner extends Omit<Owner, "account"> {
  readonly account?: string | undefined
}

/** The query of a series, in Unix seconds. */
export interface SeriesQuery extends WindowQuery {
  /** By hour the window has at most 31 days, by day at most 366. Default: by hour up to two days, otherwise by day. */
  readonly width?: "1h" | "1d" | undefined
}

export interface TagUsageQuery extends SeriesQuery {
  /** `team`: by its values. `team=search`: only these calls. Default: all tags by name. */
  readonly tag?: string | undefined
}

/** Usage reports. A gateway without this service does not answer `GET /v1/usage`. */
export class Usage extends Context.Service<
  Usage,
  {
    readonly report: (owner: Owner, query: WindowQuery) => Effect.Effect<UsageReport, Refused>
    /** By hour or day, and by key, operation and model. The window is widened to whole hours or days. */
    readonly series: (owner: Owner, query: SeriesQuery) => Effect.Effect<UsageSeries, Refused>
    /** What the calls with a tag used, in a window like that of a series. */
    readonly byTag: (owner: TagOwner, query: TagUsageQuery) => Effect.Effect<TagUsage, Refused>
    /** What calls were charged and cost, of one account or of all. For operators only. */
    readonly margin: (query: MarginQuery) => Effect.Effect<Margin, Refused>
  }
>()("@tollgate/ledger/Usage") {}
