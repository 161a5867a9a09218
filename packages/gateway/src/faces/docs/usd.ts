import { pricesInShort } from "@tollgate/contract/price/notation"
import type { PriceText } from "../../exchange/Prices.ts"

/** A price in a few words, for a list. */
export const shortPrice = ({ ranges, state }: PriceText): string =>
  state === "free" ? "Free" : ranges.length === 0 ? "No price yet" : pricesInShort(ranges)
