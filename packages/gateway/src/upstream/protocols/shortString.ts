import { quote, valueEnd } from "../../internal/jsonScan.ts"
import { tryParseSmall } from "../../internal/jsonValue.ts"

const longest = 100

/** The string that starts here. `undefined`: it is none, or longer than any name. */
export const shortString = (bytes: Uint8Array, start: number, to: number): string | undefined => {
  if (bytes[start] !== quote) return undefined
  const value = tryParseSmall(bytes, start, valueEnd(bytes, start, to))
  return typeof value === "string" && value !== "" && value.length <= longest ? value : undefined
}
