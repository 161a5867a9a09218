import { backslash, quote } from "../../internal/jsonScan.ts"

const letterU = 0x75

const hexUnitAt = (bytes: Uint8Array, at: number): number => {
  let unit = 0
  for (let i = at; i < at + 4; i++) {
    const byte = bytes[i] ?? 0
    unit = unit * 16 + (byte <= 0x39 ? byte - 0x30 : (byte & 0x5f) - 0x37)
  }
  return unit
}

/** The length in UTF-8 of a JSON string once its escapes are decoded. 0 for any other value. */
export const stringBytes = (bytes: Uint8Array, start: number, end: number): number => {
  if (bytes[start] !== quote) return 0
  let length = 0
  for (let i = start + 1; i < end - 1; i++) {
    length++
    if (bytes[i] !== backslash) continue
    if (bytes[++i] !== letterU) continue
    const unit = hexUnitAt(bytes, i + 1)
    i += 4
    if (unit < 0x80) continue
    length += unit < 0x800 ? 1 : 2
    // A surrogate pair takes four bytes: three for the first half and one more for the second.
    if ((unit & 0xfc00) === 0xd800 && bytes[i + 1] === backslash && bytes[i + 2] === letterU) {
      if ((hexUnitAt(bytes, i + 3) & 0xfc00) === 0xdc00) {
        length++
        i += 6
      }
    }
  }
  return length
}
