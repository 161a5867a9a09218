// For packages that adapt the gateway to a platform: store drivers and carriers.
export { DoesNotTouchLedger, doesNotTouchLedger, EmbeddedStore } from "@tollgate/ledger/store/EmbeddedStore"
export { channel as noticeChannel, type Notice, Notices, parse as parseNotice } from "@tollgate/ledger/fleet/Notices"
export { refuse, type Refused } from "@tollgate/contract/errors/Refused"
export { StorePool } from "./endpoints/metrics/Metrics.ts"
export * as Family from "./endpoints/metrics/Family.ts"
export { Histogram } from "./endpoints/metrics/Family.ts"
export { PipelinedStore, type Transact, type Transaction } from "@tollgate/ledger/store/Transaction"
export type { Statement } from "@tollgate/ledger/store/statements"
export { isPrivate } from "./upstream/address.ts"
export * as Rows from "@tollgate/ledger/store/rows"
export type { Allowed } from "./identity/grant/Allowed.ts"
export {
  CurrentGrantPolicy,
  dayMillis,
  defaultGrantPolicy,
  type GrantPolicy,
  termsProblems
} from "./identity/grant/GrantPolicy.ts"
export type { ServiceAccount } from "./identity/grant/ServiceAccounts.ts"
export { partsInShort } from "./identity/approval/shownRequest.ts"
export { consoleId, isServiceAccountId } from "./identity/grant/Grants.ts"
export { type Offer, offerOf } from "./endpoints/grantTerms.ts"
export type { Resources } from "./identity/grant/Resources.ts"
export { isScope, scopes, toolScopes } from "./identity/grant/scopes.ts"
export type { Issued } from "./identity/signIn/SignIn.ts"
export { CurrentOperatorPolicy } from "./endpoints/admin/operators.ts"
export { CurrentCause } from "@tollgate/ledger/trail/Trail"
export { singleFlight } from "./internal/once.ts"
export { describeDefect } from "./internal/describeDefect.ts"
export {
  type Answer as LimitAnswer,
  type Command as LimitCommand,
  type GroupState as LimitGroupState,
  LimitStore,
  LimitStoreError
} from "./limits/shared/Command.ts"
export { PaymentError, type PaymentProvider, type Returned, type Seen } from "./payment/PaymentProvider.ts"
