import type { CallStory, LoggedCalls, LoggedCallsQuery } from "@tollgate/contract/account/LoggedCall"
import type { TagUsage, TagUsageQuery } from "@tollgate/contract/account/TagUsage"
import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { Account, Entry, Key, NewKey } from "@tollgate/contract/admin/Account"
import type { AuditReport } from "@tollgate/contract/admin/Audit"
import type { Configuration, ConfigurationCheck } from "@tollgate/contract/admin/Configuration"
import type { Grant, Grants } from "@tollgate/contract/admin/Grant"
import type { PriceList, PricePreview, PricePreviewRequest } from "@tollgate/contract/admin/Prices"
import type { AccountTerms, Booking, KeyTerms } from "@tollgate/contract/admin/Terms"
import type { Upstreams } from "@tollgate/contract/admin/Upstream"
import type { Webhook, Webhooks, WebhooksQuery } from "@tollgate/contract/admin/Webhook"
import type { SeriesQuery } from "./account.ts"
import { change, read, type Request } from "./account/request.ts"
import { book } from "./admin/book.ts"

export type { AccountError as AdminError } from "./account/request.ts"

/** All accounts. The client's credential is the admin token, as for everything here. */
export const accounts: () => Request<{ readonly accounts: ReadonlyArray<Account> }> = /* @__PURE__ */ read(
  "admin.accounts",
  "/admin/v1/accounts"
)

const accountRead = /* @__PURE__ */ read<Account>("admin.account", "/admin/v1/accounts/{id}")
export const account = (id: string): Request<Account> => accountRead({ path: { id } })

const accountCreate = /* @__PURE__ */ change<Account>("admin.account_create", "/admin/v1/accounts")
export const createAccount = (label: string): Request<Account> => accountCreate({ body: { label } })

const accountChange = /* @__PURE__ */ change<Account, AccountTerms>(
  "admin.account_change",
  "/admin/v1/accounts/{id}",
  "PATCH",
  "free"
)
/** Changes the fields that `terms` has. */
export const changeAccount = (id: string, terms: AccountTerms): Request<Account> =>
  accountChange({ path: { id }, body: terms })

/** Books a payment, which counts towards the tier. It is booked once, also if the effect is run again. */
export const topUp: (account: string, entry: Booking) => Request<Account> = /* @__PURE__ */ book(
  "admin.topup",
  "/admin/v1/accounts/{id}/topups"
)

/** Adds to the balance, or takes from it, without a payment. It is booked once, also if the effect is run again. */
export const adjust: (account: string, entry: Booking) => Request<Account> = /* @__PURE__ */ book(
  "admin.adjustment",
  "/admin/v1/accounts/{id}/adjustments"
)

const entriesRead = /* @__PURE__ */ read<{ readonly entries: ReadonlyArray<Entry> }>(
  "admin.entries",
  "/admin/v1/accounts/{id}/entries"
)
/** The last 500 top-ups and adjustments, the newest first. */
export const entries = (account: string) => entriesRead({ path: { id: account } })

interface Keys {
  readonly keys: ReadonlyArray<Key>
}

const allKeysRead = /* @__PURE__ */ read<Keys>("admin.keys", "/admin/v1/keys")
const accountKeysRead = /* @__PURE__ */ read<Keys>("admin.account_keys", "/admin/v1/accounts/{id}/keys")
/** The keys of one account, or all. */
export const keys = (account?: string): Request<Keys> =>
  account === undefined ? allKeysRead() : accountKeysRead({ path: { id: account } })

const keyCreate = /* @__PURE__ */ change<NewKey, KeyTerms>("admin.key_create", "/admin/v1/accounts/{id}/keys")
/** The answer is the only one with the key itself. */
export const createKey = (account: string, terms: KeyTerms = {}): Request<NewKey> =>
  keyCreate({ path: { id: account }, body: terms })

const keyChange = /* @__PURE__ */ change<Key, KeyTerms>("admin.key_change", "/admin/v1/keys/{id}", "PATCH", "free")
/** Changes the fields that `terms` has, for all keys that were made from this one by rotation. */
export const changeKey = (id: string, terms: KeyTerms): Request<Key> => keyChange({ path: { id }, body: terms })

const keyRevoke = /* @__PURE__ */ change<Key>("admin.key_revoke", "/admin/v1/keys/{id}/revoke", "POST", "free")
export const revokeKey = (id: string): Request<Key> => keyRevoke({ path: { id }, body: {} })

const keyRotate = /* @__PURE__ */ change<NewKey, { readonly grace_seconds?: number }>(
  "admin.key_rotate",
  "/admin/v1/keys/{id}/rotate"
)
/** A new key with the same terms. The old one stays valid for the grace, a day by default. */
export const rotateKey = (id: string, graceSeconds?: number): Request<NewKey> =>
  keyRotate({ path: { id }, body: graceSeconds === undefined ? {} : { grace_seconds: graceSeconds } })

/** What people gave to programs by OAuth. */
export const grants: () => Request<Grants> = /* @__PURE__ */ read("admin.grants", "/admin/v1/grants")

const grantRevoke = /* @__PURE__ */ change<Grant>("admin.grant_revoke", "/admin/v1/grants/{id}/revoke", "POST", "free")
/** Ends a grant and all its tokens, at once. */
export const revokeGrant = (id: string): Request<Grant> => grantRevoke({ path: { id }, body: {} })

/** The upstreams and how they do. */
export const upstreams: () => Request<Upstreams> = /* @__PURE__ */ read("admin.upstreams", "/admin/v1/upstreams")

/** The prices in force. */
export const prices: () => Request<PriceList> = /* @__PURE__ */ read("admin.prices", "/admin/v1/prices")

const preview = /* @__PURE__ */ change<PricePreview, PricePreviewRequest>(
  "admin.prices_preview",
  "/admin/v1/prices/preview",
  "POST",
  "free"
)
/** What other prices would have made of past calls. It changes nothing. */
export const previewPrices = (body: PricePreviewRequest): Request<PricePreview> => preview({ body })

const auditRun = /* @__PURE__ */ change<AuditReport>("admin.audit", "/admin/v1/audit", "POST", "free")
/** Recomputes the books from their rows. */
export const audit = (): Request<AuditReport> => auditRun({ body: {} })

/** The configuration in force. */
export const configuration: () => Request<Configuration> = /* @__PURE__ */ read("admin.config", "/admin/v1/config")

const configCheck = /* @__PURE__ */ change<ConfigurationCheck>(
  "admin.config_check",
  "/admin/v1/config/check",
  "POST",
  "free"
)
/** Reads the file as it is now. It changes nothing. */
export const checkConfiguration = (): Request<ConfigurationCheck> => configCheck({ body: {} })

const configReload = /* @__PURE__ */ change<ConfigurationCheck>(
  "admin.config_reload",
  "/admin/v1/config/reload",
  "POST",
  "free"
)
/** Puts the file in force if it is valid. */
export const reloadConfiguration = (): Request<ConfigurationCheck> => configReload({ body: {} })

const usageRead = /* @__PURE__ */ read<UsageSeries>("admin.usage", "/admin/v1/accounts/{id}/usage")
/** What an account used and was charged, by hour or day, key, operation and model. */
export const accountUsage = (account: string, query: SeriesQuery): Request<UsageSeries> =>
  usageRead({ path: { id: account }, query })

const tagUsageRead = /* @__PURE__ */ read<TagUsage>("admin.usage_tags", "/admin/v1/usage/tags")
/** What the calls with a tag used and cost, over all accounts. */
export const usageByTag = (query: TagUsageQuery): Request<TagUsage> => tagUsageRead({ query })

const accountTagsRead = /* @__PURE__ */ read<TagUsage>("admin.account_usage_tags", "/admin/v1/accounts/{id}/usage/tags")
/** What the calls of an account with a tag used and cost. */
export const accountUsageByTag = (account: string, query: TagUsageQuery): Request<TagUsage> =>
  accountTagsRead({ path: { id: account }, query })

const callsRead = /* @__PURE__ */ read<LoggedCalls>("admin.calls", "/admin/v1/accounts/{id}/calls")
/** The log of an account's calls, the newest first. */
export const accountCalls = (account: string, query: LoggedCallsQuery = {}): Request<LoggedCalls> =>
  callsRead({ path: { id: account }, query })

const storyRead = /* @__PURE__ */ read<CallStory>("admin.call", "/admin/v1/accounts/{id}/calls/{call}")
/** All that the ledger knows of one call. */
export const accountCallStory = (account: string, call: string): Request<CallStory> =>
  storyRead({ path: { id: account, call } })

const webhooksRead = /* @__PURE__ */ read<Webhooks>("admin.webhooks", "/admin/v1/webhooks")
/** The endpoints of webhooks, and the messages to them, the newest first. */
export const webhooks = (query: WebhooksQuery = {}): Request<Webhooks> => webhooksRead({ query })

const webhookResend = /* @__PURE__ */ change<Webhook>(
  "admin.webhook_resend",
  "/admin/v1/webhooks/{id}/resend",
  "POST",
  "free"
)
/** Sends a message again, whatever became of it. */
export const resendWebhook = (id: string): Request<Webhook> => webhookResend({ path: { id }, body: {} })
