import * as Redacted from "effect/Redacted"

// `tg_`, 32 characters for 160 random bits, 7 for a CRC-32 of the rest. The checksum finds mistyped keys without a look-up,
// and the prefix lets secret scanners recognize leaked ones.
export const prefix = "tg_"
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const shape = /^tg_[0-9a-hjkmnp-tv-z]{39}$/

export const entropyBytes = 20

const base32 = (bytes: Uint8Array): string => {
  let text = ""
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(buffer >> bits) & 31]
    }
  }
  return bits === 0 ? text : text + alphabet[(buffer << (5 - bits)) & 31]
}

const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

const checksum = (text: string): string => {
  const crc = crc32(text)
  return base32(Uint8Array.of(crc >>> 24, (crc >>> 16) & 255, (crc >>> 8) & 255, crc & 255))
}

/** A key from 20 random bytes. */
export const fromEntropy = (entropy: Uint8Array): Redacted.Redacted => {
  const body = prefix + base32(entropy)
  return Redacted.make(body + checksum(body), { label: "api key" })
}

export const isWellFormed = (text: string): boolean =>
  shape.test(text) && checksum(text.slice(0, -7)) === text.slice(-7)

/** A prefix that may be shown to tell keys apart. */
export const hint = (key: Redacted.Redacted): string => `${Redacted.value(key).slice(0, 7)}…`

const grantPrefix = "gr_"

export const grantId = (random: string): string => `${grantPrefix}${random}`

/** Whether a key's id is that of a grant: in the ledger a grant is a key. */
export const isGrantId = (id: string): boolean => id.startsWith(grantPrefix)
