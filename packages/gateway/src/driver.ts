// For packages that adapt the gateway to a platform: store drivers and carriers.
export { DoesNotTouchLedger, EmbeddedStore } from "./store/EmbeddedStore.ts"
export { refuse, type Refused } from "./Refused.ts"
export type { Transaction } from "./store/Transaction.ts"
export { isPrivate } from "./upstream/address.ts"
