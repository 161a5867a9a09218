import { type MicroUsd, type NanoUsd, parseUsd, toMicros } from "@tollgate/contract/Money"
import * as Option from "effect/Option"

/** An amount that the test's author wrote. */
export const usd = (text: string): NanoUsd =>
  Option.getOrThrowWith(
    parseUsd(text),
    () => new Error(`"${text}" is no amount: write decimal USD with up to nine decimals, such as "0.000025"`)
  )

export const micros = (text: string): MicroUsd => toMicros(usd(text))

/** With all six decimals, as a report would have it. */
export const sixDecimals = (amount: bigint): string =>
  `${amount / 1_000_000n}.${(amount % 1_000_000n).toString().padStart(6, "0")}`
