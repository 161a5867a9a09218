// For packages that adapt the gateway to a platform: store drivers and carriers.
export { DoesNotTouchLedger, doesNotTouchLedger, EmbeddedStore } from "./store/EmbeddedStore.ts"
export { channel as noticeChannel, type Notice, Notices, parse as parseNotice } from "./fleet/Notices.ts"
export { refuse, type Refused } from "./Refused.ts"
export { StorePool } from "./observe/StorePool.ts"
export * as Family from "./observe/metrics/Family.ts"
export { Histogram } from "./observe/metrics/Histogram.ts"
export { PipelinedStore } from "./store/PipelinedStore.ts"
export type { Statement } from "./store/statements.ts"
export type { Transact, Transaction } from "./store/Transaction.ts"
export { isPrivate } from "./upstream/address.ts"
export * as Rows from "./store/rows.ts"
export type { Resources } from "./grant/Resources.ts"
export { resourceDocuments } from "./grant/resourceMetadata.ts"
export { isScope, scopes, toolScopes } from "./grant/scopes.ts"
export type { Issued } from "./signIn/SignIn.ts"
export { describeDefect } from "./internal/describeDefect.ts"
export {
  type Answer as LimitAnswer,
  type Command as LimitCommand,
  type GroupState as LimitGroupState
} from "./limits/shared/Command.ts"
export { LimitStore, LimitStoreError } from "./limits/shared/LimitStore.ts"
