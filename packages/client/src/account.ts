import type { GivenGrant, GivenGrants, LinkState, StartedTasks } from "@tollgate/contract/account/Access"
import type { LimitState } from "@tollgate/contract/account/LimitState"
import type { CallStory, LoggedCalls, LoggedCallsQuery } from "@tollgate/contract/account/LoggedCall"
import type { Offer, OfferedSnippets, SnippetsRequest } from "@tollgate/contract/account/Offer"
import type { Profile } from "@tollgate/contract/account/Profile"
import type { TagUsage, TagUsageQuery } from "@tollgate/contract/account/TagUsage"
import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import { change, read, type Request } from "./account/request.ts"

export type { AccountError } from "./account/request.ts"

/** Whom the credential stands for, and what it may still spend. */
export const profile: () => Request<Profile> = /* @__PURE__ */ read("account.profile", "/account/v1")

const callsRead = /* @__PURE__ */ read<LoggedCalls>("account.calls", "/account/v1/calls")
/** The log of calls, the newest first. */
export const calls = (query: LoggedCallsQuery = {}): Request<LoggedCalls> => callsRead({ query })

const storyRead = /* @__PURE__ */ read<CallStory>("account.call", "/account/v1/calls/{id}")
/** All that the ledger knows of one call. */
export const callStory = (id: string): Request<CallStory> => storyRead({ path: { id } })

export interface SeriesQuery {
  /** Unix seconds. */
  readonly start_time: number
  readonly end_time?: number
  readonly width?: "1h" | "1d"
}

const seriesRead = /* @__PURE__ */ read<UsageSeries>("account.usage", "/account/v1/usage")
/** What was used and charged, by hour or day, key, operation and model. */
export const usageSeries = (query: SeriesQuery): Request<UsageSeries> => seriesRead({ query })

const tagUsageRead = /* @__PURE__ */ read<TagUsage>("account.usage_tags", "/account/v1/usage/tags")
/** What the calls with a tag used and cost. */
export const usageByTag = (query: TagUsageQuery): Request<TagUsage> => tagUsageRead({ query })

/** The limits of the key as they stand. */
export const limitState: () => Request<LimitState> = /* @__PURE__ */ read("account.limits", "/account/v1/limits")

/** The tasks that the key started. */
export const tasks: () => Request<StartedTasks> = /* @__PURE__ */ read("account.tasks", "/account/v1/tasks")

/** The programs that were let in. */
export const grants: () => Request<GivenGrants> = /* @__PURE__ */ read("account.grants", "/account/v1/grants")

const revoke = /* @__PURE__ */ change<GivenGrant>("account.grant_revoke", "/account/v1/grants/{id}/revoke")
/** Takes access back, at once. */
export const revokeGrant = (id: string): Request<GivenGrant> => revoke({ path: { id }, body: {} })

/** The linked account of the key. */
export const linkState: () => Request<LinkState> = /* @__PURE__ */ read("account.link", "/account/v1/link")

const unlinkChange = /* @__PURE__ */ change<LinkState>("account.unlink", "/account/v1/link/remove")
/** Forgets the linked account. */
export const unlink = (): Request<LinkState> => unlinkChange({ body: {} })

/** Everything that the credential can call. */
export const offer: () => Request<Offer> = /* @__PURE__ */ read("account.operations", "/account/v1/operations")

const snippetsChange = /* @__PURE__ */ change<OfferedSnippets, SnippetsRequest>(
  "account.snippets",
  "/account/v1/snippets"
)
/** The code that makes a call. It makes none. */
export const snippets = (body: SnippetsRequest): Request<OfferedSnippets> => snippetsChange({ body })
