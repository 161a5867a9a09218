import { type MicroUsd, type NanoUsd, parseUsd, toMicros } from "@tollgate/contract/Money"
import * as Option from "effect/Option"

/** Parses an amount written in a test. */
export const usd = (text: string): NanoUsd =>
  Option.getOrThrowWith(
    parseUsd(text),
    () => new Error(`"${text}" is not an amount: write decimal USD with up to nine decimals, such as "0.000025"`)
  )

export const micros = (text: string): MicroUsd => toMicros(usd(text))

/** With six decimals, as in reports. */
export const sixDecimals = (amount: bigint): string =>
  `${amount / 1_000_000n}.${(amount % 1_000_000n).toString().padStart(6, "0")}`
