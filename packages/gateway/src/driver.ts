// For packages that adapt the gateway to a platform: store drivers and carriers.
export { DoesNotTouchLedger, doesNotTouchLedger, EmbeddedStore } from "./books/store/EmbeddedStore.ts"
export { channel as noticeChannel, type Notice, Notices, parse as parseNotice } from "./books/fleet/Notices.ts"
export { refuse, type Refused } from "@tollgate/contract/errors/Refused"
export { StorePool } from "./observe/StorePool.ts"
export * as Family from "./faces/metrics/Family.ts"
export { Histogram } from "./faces/metrics/Histogram.ts"
export { PipelinedStore } from "./books/store/PipelinedStore.ts"
export type { Statement } from "./books/store/statements.ts"
export type { Transact, Transaction } from "./books/store/Transaction.ts"
export { isPrivate } from "./upstream/address.ts"
export * as Rows from "./books/store/rows.ts"
export type { Resources } from "./identity/grant/Resources.ts"
export { isScope, scopes, toolScopes } from "./identity/grant/scopes.ts"
export type { Issued } from "./identity/signIn/SignIn.ts"
export { describeDefect } from "./internal/describeDefect.ts"
export {
  type Answer as LimitAnswer,
  type Command as LimitCommand,
  type GroupState as LimitGroupState
} from "./limits/shared/Command.ts"
export { LimitStore, LimitStoreError } from "./limits/shared/Command.ts"
