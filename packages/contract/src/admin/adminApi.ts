import { TagUsage, TagUsageQuery } from "../account/TagUsage.ts"
import { SeriesQuery, UsageSeries } from "../account/UsageSeries.ts"
import * as Api from "../Api.ts"
import { accounts, keys } from "./Account.ts"
import { audit } from "./Audit.ts"
import { calls } from "./Call.ts"
import { clients } from "./Client.ts"
import { configuration } from "./Configuration.ts"
import { gateways } from "./Gateway.ts"
import { grants } from "./Grant.ts"
import { imports } from "./Import.ts"
import { margin } from "./Margin.ts"
import { operators, tokens } from "./Operator.ts"
import { overview } from "./Overview.ts"
import { payments } from "./Payment.ts"
import { prices } from "./Prices.ts"
import { trail } from "./Trail.ts"
import { upstreams } from "./Upstream.ts"
import { webhooks } from "./Webhook.ts"

const day = { start_time: "1767225600", end_time: "1767312000" }

/** The usage of an account, in the shapes of the account's own API. */
const usage = {
  accountUsage: Api.get("/accounts/{id}/usage", {
    summary: "What an account used and was charged, by hour or day, key, operation and model",
    query: SeriesQuery,
    success: UsageSeries,
    example: { query: { ...day, width: "1h" } }
  }),
  accountUsageByTag: Api.get("/accounts/{id}/usage/tags", {
    summary: "What the calls of an account with a tag used and cost",
    query: TagUsageQuery,
    success: TagUsage,
    example: { query: { ...day, tag: "team" } }
  }),
  usageByTag: Api.get("/usage/tags", {
    summary: "What the calls with a tag used and cost, over all accounts",
    query: TagUsageQuery,
    success: TagUsage,
    example: { query: { ...day, tag: "team=search" } }
  }),
  ...margin
} as const

/** The operator's API over HTTP, behind its own token. */
export const adminApi = {
  name: "admin",
  prefix: "/admin/v1",
  title: "Admin API",
  description:
    "Accounts, keys, money, prices and the state of a gateway, for its operator. Unknown fields and parameters are refused. " +
    "Times are ISO 8601 in UTC, unless the name of a field says otherwise.",
  credential: "A token of an operator, or the shared one: the value of TOLLGATE_ADMIN_TOKEN.",
  groups: {
    overview,
    accounts,
    payments,
    keys,
    usage,
    calls,
    grants,
    clients,
    upstreams,
    gateways,
    prices,
    imports,
    audit,
    configuration,
    webhooks,
    operators,
    tokens,
    trail,
    document: Api.document
  }
} as const satisfies Api.Api
