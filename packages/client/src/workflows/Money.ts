import { formatUsd, fromMicros, type MicroUsd } from "@tollgate/contract/Money"

/** Micro-USD as decimal USD: `usd(25)` is `"0.000025"`. Exact. Throws a `RangeError` for what is no safe integer. */
export const usd = (micros: MicroUsd): string => {
  if (Number.isSafeInteger(micros)) return formatUsd(fromMicros(micros))
  throw new RangeError(`${micros} is no safe integer of micro-USD`)
}

/** Micro-USD for people to read, the same everywhere: `format(1_250_000)` is `"$1.25"`, `format(-3_000_000)` is `"-$3"`. */
export const format = (micros: MicroUsd): string => usd(micros).replace(/^-?/, "$&$$")
