// For packages that adapt the gateway to a platform: store drivers and carriers.
export { DoesNotTouchLedger, doesNotTouchLedger, EmbeddedStore } from "./store/EmbeddedStore.ts"
export { refuse, type Refused } from "./Refused.ts"
export type { Transaction } from "./store/Transaction.ts"
export { isPrivate } from "./upstream/address.ts"
export type { Grant, NewGrant } from "./grant/Grants.ts"
export * as Rows from "./store/rows.ts"
export { challenge, type Resources } from "./grant/Resources.ts"
export { resourceDocuments } from "./grant/resourceMetadata.ts"
