import { describe, expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { inspect } from "node:util"
import * as ApiKey from "../../src/credential/ApiKey.ts"

const entropy = fc.uint8Array({ minLength: ApiKey.entropyBytes, maxLength: ApiKey.entropyBytes })
const clear = (bytes: Uint8Array) => Redacted.value(ApiKey.fromEntropy(bytes))
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

describe("a key", () => {
  it("has a fixed format and at least 160 random bits", () => {
    expect(ApiKey.entropyBytes * 8).toBeGreaterThanOrEqual(160)
    fc.assert(
      fc.property(entropy, (bytes) => {
        expect(clear(bytes)).toMatch(/^tg_[0-9a-hjkmnp-tv-z]{39}$/)
        expect(ApiKey.isWellFormed(clear(bytes))).toBe(true)
      })
    )
  })

  it("keeps its encoding, so that existing keys stay valid", () => {
    expect(clear(new Uint8Array(20))).toBe("tg_00000000000000000000000000000000s858ht0")
    expect(clear(Uint8Array.from({ length: 20 }, (_, i) => i * 13))).toBe("tg_006hm9sm8575pt3nga7ssadprf8dvtqqcyry4eg")
  })

  it("depends on every bit of its entropy", () => {
    fc.assert(
      fc.property(entropy, fc.nat({ max: 159 }), (bytes, bit) => {
        const other = bytes.slice()
        other[bit >> 3]! ^= 1 << (bit & 7)
        expect(clear(other)).not.toBe(clear(bytes))
        expect(clear(other).slice(0, 35)).not.toBe(clear(bytes).slice(0, 35))
      })
    )
  })
})

describe("a mistyped key is rejected without a lookup", () => {
  it("for every other character at every position", () => {
    const key = clear(Uint8Array.from({ length: 20 }, (_, i) => 7 + i * 11))
    for (let i = 0; i < key.length; i++) {
      for (const sign of `${alphabet}ilouTG_-ABZ. `) {
        if (sign === key[i]) continue
        expect(ApiKey.isWellFormed(key.slice(0, i) + sign + key.slice(i + 1)), `${i} ${sign}`).toBe(false)
      }
    }
  })

  it("for any key: a character replaced, removed or added, or two neighbours swapped", () => {
    fc.assert(
      fc.property(entropy, fc.nat(), fc.string({ unit: "binary", minLength: 1, maxLength: 2 }), (bytes, at, sign) => {
        const key = clear(bytes)
        const i = at % key.length
        if (sign !== key[i]) expect(ApiKey.isWellFormed(key.slice(0, i) + sign + key.slice(i + 1))).toBe(false)
        expect(ApiKey.isWellFormed(key.slice(0, i))).toBe(false)
        expect(ApiKey.isWellFormed(key.slice(i + 1))).toBe(false)
        expect(ApiKey.isWellFormed(key + sign)).toBe(false)
        expect(ApiKey.isWellFormed(sign + key)).toBe(false)
        const j = Math.min(i, key.length - 2)
        if (key[j] !== key[j + 1]) {
          const swapped = key.slice(0, j) + key[j + 1] + key[j] + key.slice(j + 2)
          expect(ApiKey.isWellFormed(swapped)).toBe(false)
        }
      }),
      { numRuns: 500 }
    )
  })

  it("in upper case, with white space or with a line break", () => {
    const key = clear(Uint8Array.from({ length: 20 }, (_, i) => 3 + i * 7))
    for (const wrong of [key.toUpperCase(), ` ${key}`, `${key} `, `${key}\n`, `\n${key}`, `${key}\u0000`, "", "tg_"]) {
      expect(ApiKey.isWellFormed(wrong), JSON.stringify(wrong)).toBe(false)
    }
  })
})

describe("a key is not printed by accident", () => {
  const key = ApiKey.fromEntropy(Uint8Array.from({ length: 20 }, (_, i) => 5 + i * 9))
  const secret = Redacted.value(key).slice(7)

  it.each([
    ["template", () => `${key}`],
    ["String", () => String(key)],
    ["JSON", () => JSON.stringify({ key, list: [key] })],
    ["inspect", () => inspect({ key }, { depth: 9, showHidden: true, getters: true })],
    ["an error's message", () => String(new Error(`bad key ${key}`))],
    ["spread", () => JSON.stringify({ ...key }) + Object.values(key).join()]
  ])("in %s", (_, show) => {
    expect(show()).not.toContain(secret)
  })

  it("its hint identifies the key and reveals four characters", () => {
    expect(ApiKey.hint(key)).toBe(`${Redacted.value(key).slice(0, 7)}…`)
    expect(secret).not.toContain(ApiKey.hint(key).slice(3, -1))
  })
})
