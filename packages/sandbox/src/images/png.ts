import * as Utf8 from "@tollgate/contract/Utf8"

const big = (n: number): ReadonlyArray<number> => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255]
const little16 = (n: number): ReadonlyArray<number> => [n & 255, n >>> 8]

const crc = (bytes: ReadonlyArray<number>): number => {
  let c = 0xffffffff
  for (const byte of bytes) {
    c ^= byte
    for (let bit = 0; bit < 8; bit++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0)
  }
  return ~c >>> 0
}

const adler = (bytes: ReadonlyArray<number>): number => {
  let a = 1
  let b = 0
  for (const byte of bytes) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }
  return ((b << 16) | a) >>> 0
}

const chunk = (type: string, data: ReadonlyArray<number>): ReadonlyArray<number> => {
  const named = [...Utf8.encode(type), ...data]
  return [...big(data.length), ...named, ...big(crc(named))]
}

const signature = [137, 80, 78, 71, 13, 10, 26, 10]
const eightBitColour = [8, 2, 0, 0, 0]

export type Pixel = readonly [red: number, green: number, blue: number]

/** A square PNG of less than 64 KiB, in one uncompressed deflate block. */
export const png = (side: number, pixel: (x: number, y: number) => Pixel): Uint8Array => {
  const rows = Array.from({ length: side }, (_, y) => [
    0,
    ...Array.from({ length: side }, (_, x) => pixel(x, y)).flat()
  ])
  const raw = rows.flat()
  const stored = [0x78, 1, 1, ...little16(raw.length), ...little16(raw.length ^ 0xffff), ...raw, ...big(adler(raw))]
  return Uint8Array.from([
    ...signature,
    ...chunk("IHDR", [...big(side), ...big(side), ...eightBitColour]),
    ...chunk("IDAT", stored),
    ...chunk("IEND", [])
  ])
}
