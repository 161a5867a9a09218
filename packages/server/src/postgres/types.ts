import type { CustomTypesConfig } from "pg"
import { InexactInteger } from "./error.ts"

const asBigInt = (text: string): bigint => BigInt(text)

const asNumber = (text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new InexactInteger()
  return value
}

/** A sum of integers is a `numeric` without a fraction. One with a fraction stays text. */
const wholeOrText =
  <A>(integer: (text: string) => A) =>
  (text: string): A | string =>
    /^-?\d+$/.test(text) ? integer(text) : text

/** `\\x` and hexadecimal digits. */
const asBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.slice(2), "hex"))

const asText = (text: string): string => text

/** Types that differ from those of the other stores, by their ids in `pg_type`. */
const parsers = <A>(integer: (text: string) => A): ReadonlyMap<number, (text: string) => unknown> =>
  new Map<number, (text: string) => unknown>([
    [16, (text) => text === "t"],
    [17, asBytes],
    [20, integer],
    [21, integer],
    [23, integer],
    [26, integer],
    [700, Number],
    [701, Number],
    [1114, (text) => new Date(`${text.replace(" ", "T")}Z`)],
    // `session.ts` sets the time zone.
    [1184, (text) => new Date(text.replace(" ", "T").replace("+00", "Z"))],
    [1700, wholeOrText(integer)]
  ])

const config = (known: ReadonlyMap<number, (text: string) => unknown>): CustomTypesConfig => ({
  getTypeParser: (id: number) => known.get(id) ?? asText
})

/** Integers as numbers; one that a number does not hold exactly is an error. */
export const numbers = config(parsers(asNumber))

/** Every integer as a bigint. */
export const bigints = config(parsers(asBigInt))
