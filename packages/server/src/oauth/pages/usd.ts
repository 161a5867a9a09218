import { formatUsd, fromMicros, type BigMicroUsd, micro, parseUsd } from "@tollgate/contract/Money"
import * as Option from "effect/Option"

/** With two decimals at least. */
export const usd = (amount: BigMicroUsd): string => {
  const [whole = "0", fraction = ""] = formatUsd(fromMicros(amount)).split(".")
  return `${whole}.${fraction.padEnd(2, "0")} USD`
}

/** A billion USD: more is a mistake. */
const most = 1_000_000_000_000_000n

/** A whole number of micro-USD, greater than zero. */
export const parseLimit = (text: string): Option.Option<BigMicroUsd> =>
  parseUsd(text).pipe(
    Option.filter((nano) => nano > 0n && nano % 1000n === 0n && nano / 1000n <= most),
    Option.map((nano) => micro(nano / 1000n))
  )
