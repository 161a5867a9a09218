import type { OfferedOperation } from "@tollgate/contract/account/Offer"

/** The price without what it is estimated by, for a narrow list. */
export const shortPrice = ({ is_free, price }: OfferedOperation): string =>
  is_free ? "free" : (price.split(/; |, (?!\$)/)[0] ?? price)
