/** A provider's names are short. What an upstream makes up is cut. */
const maxLength = 120
const maxNames = 16

const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Cut first: that may leave half of a pair. */
const safeName = (name: string): string => name.slice(0, maxLength).replaceAll(unsafe, "\u{fffd}")

/** The names of a call's gaps as they are recorded. */
export const recordedNames = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(names.map(safeName))].toSorted().slice(0, maxNames)

/** How a call's gaps are stored: their names, as JSON. */
export const encodeGaps = (names: ReadonlyArray<string>): string => JSON.stringify(recordedNames(names))

// The ledger wrote it.
export const gapsIn = (text: string | null): ReadonlyArray<string> =>
  text === null ? [] : (JSON.parse(text) as ReadonlyArray<string>)
