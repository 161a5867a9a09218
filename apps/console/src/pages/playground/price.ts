import type { OfferedOperation } from "@tollgate/contract/account/Offer"

/** The price without what it is estimated and read by, for a narrow list. */
export const shortPrice = ({ is_free, price }: OfferedOperation): string =>
  is_free ? "free" : (price.split(/; |, (?!\$)| in [a-z_]+\./)[0] ?? price)
