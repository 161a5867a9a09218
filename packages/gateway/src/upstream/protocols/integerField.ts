import { fieldScanner } from "./fieldScanner.ts"

const scanners = new Map<string, ReturnType<typeof fieldScanner<"field">>>()

const scannerOf = (field: string) => {
  let scan = scanners.get(field)
  if (scan === undefined) {
    scan = fieldScanner<"field">({ members: { [field]: { tag: "field" } } })
    scanners.set(field, scan)
  }
  return scan
}

const minus = 0x2d
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

/** Whether a field of a JSON object is written as an integer: `200`, not `200.0` or `2e2`, which parse to the same number. */
export const hasInteger = (bytes: Uint8Array, field: string): boolean => {
  let isInteger = false
  const isValid = scannerOf(field)(bytes, 0, bytes.length, (_, start, end) => {
    let at = bytes[start] === minus ? start + 1 : start
    while (at < end && isDigit(bytes[at])) at++
    isInteger = at === end
  })
  return isValid && isInteger
}
