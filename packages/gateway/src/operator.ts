// For programs that operators use: what they configure, and how it is shown to them.
export type { Account, NewKey } from "@tollgate/ledger/account/Accounts"
export { listGateways } from "@tollgate/ledger/fleet/gatewayRows"
export * as FleetConfig from "@tollgate/ledger/fleet/FleetConfig"
export { oneAtATime } from "@tollgate/ledger/fleet/lease"
export * as TryWrite from "@tollgate/ledger/fleet/tryWrite"
export * as Reloads from "@tollgate/ledger/fleet/Reloads"
export type { Suspended } from "@tollgate/ledger/audit/Audit"
export { priceText } from "./exchange/Prices.ts"
export type { Model, CostBook, PriceBook } from "./exchange/Prices.ts"
export type { ConfigurationControl } from "./endpoints/admin/Admin.ts"
export { gapShape, openGaps } from "./endpoints/admin/prices/gaps.ts"
export type { ImportControl } from "./endpoints/admin/imports.ts"
export type { PriceSection, PriceStore } from "./endpoints/admin/prices/routes.ts"
export * as Shapes from "./endpoints/managementApi/shapes.ts"
export type { Approval } from "./identity/approval/Approvals.ts"
export type { Grant, GrantTerms } from "./identity/grant/Grants.ts"
export { tryTarget } from "./call/tryTarget.ts"
export * as Router from "./call/router/Router.ts"
export { isPrivate } from "./upstream/address.ts"
export { isForwardable } from "./upstream/translate/names.ts"
export { listTools, type ListedTools } from "./upstream/mcp/listTools.ts"
export { sortTools } from "./upstream/mcp/toolList.ts"
export { type Cloud, parseAwsCredential, parseServiceAccount, type Place } from "./upstream/Cloud.ts"
export { Rotation, rotating } from "./upstream/Rotation.ts"
export { type Provider, providerDefaults } from "./upstream/Provider.ts"
export { makeReach, servingOf } from "./upstream/reach.ts"
export { askedFor, shapeFor } from "./upstream/speaks.ts"
export {
  conditions,
  expand,
  type Route,
  routedLike,
  sentUnchanged,
  serves,
  type Target,
  type TargetNames
} from "./upstream/Route.ts"
export {
  type Endpoint as WebhookEndpoint,
  Endpoints as WebhookEndpoints,
  Webhooks
} from "@tollgate/ledger/outbox/Endpoints"
export { eventTypes as webhookEvents, bodyOf as webhookBody } from "@tollgate/ledger/outbox/Event"
export * as WebhookMarks from "@tollgate/ledger/outbox/Marks"
export * as WebhookOutbox from "@tollgate/ledger/outbox/Outbox"
export { send as sendWebhook } from "@tollgate/ledger/webhooks/send"
export { start as startWebhooks } from "@tollgate/ledger/webhooks/Delivery"
export * as WebhookShapes from "./endpoints/admin/webhooks.ts"
export { OnUpstreamChange } from "./upstream/ProviderStates.ts"
