import { isFree } from "@tollgate/contract/price/Price"
import type { PriceBook } from "../../exchange/Prices.ts"
import type { Match } from "../../exchange/Exchange.ts"

/**
 * Whether a HEAD of this path is carried out as a GET: if that costs nothing and changes nothing. A HEAD of a billed operation
 * would cost as much as the answer that it leaves out.
 */
export const answersHead = ({ operations }: Match, prices: PriceBook): boolean => {
  const read = operations.get("GET")
  return read !== undefined && read.replay !== "create" && isFree(prices.of(read))
}
