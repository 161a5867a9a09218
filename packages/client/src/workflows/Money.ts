import { formatUsd, fromMicros, type MicroUsd, parseUsd, safeMicros } from "@tollgate/contract/Money"
import * as Option from "effect/Option"

const refused = (problem: string): never => {
  throw new RangeError(problem)
}

/**
 * Micro-USD as decimal USD, which `maxPrice` takes: `usd(25)` is `"0.000025"`. Exact. Throws a `RangeError` for what is no
 * safe integer.
 */
export const usd = (micros: MicroUsd): string =>
  Number.isSafeInteger(micros) ? formatUsd(fromMicros(micros)) : refused(`${micros} is no safe integer of micro-USD`)

/** Micro-USD for people to read, the same everywhere: `format(1_250_000)` is `"$1.25"`, `format(-3_000_000)` is `"-$3"`. */
export const format = (micros: MicroUsd): string => usd(micros).replace(/^-?/, "$&$$")

/** Decimal USD as micro-USD: `micros("0.000025")` is 25. Throws a `RangeError` for what is no exact number of micro-USD. */
export const micros = (usd: string): MicroUsd => {
  const nanos = Option.getOrElse(parseUsd(usd), () => refused(`${JSON.stringify(usd)} is no amount of USD`))
  const exact = nanos % 1000n === 0n ? safeMicros(nanos / 1000n) : undefined
  return exact ?? refused(`${usd} USD is no safe integer of micro-USD`)
}
