import { describe, expect, it } from "@effect/vitest"
import { networkOf, restrictedBy, writeRestrictions } from "../../src/credential/Restrictions.ts"

describe("restrictions of a key", () => {
  it("take addresses and networks of IPv4 and IPv6, and an IPv4 address in the form of IPv6", () => {
    const { isFrom } = restrictedBy({ addresses: ["203.0.113.7", "10.0.0.0/8", "2001:db8::/32", "fe80::1"] })
    const from = (address: string | undefined) => isFrom?.(address)
    for (const address of [
      "203.0.113.7",
      "::ffff:203.0.113.7",
      "::ffff:cb00:7107",
      "10.255.0.1",
      "2001:DB8:1::5",
      "fe80::1%eth0"
    ]) {
      expect([address, from(address)]).toEqual([address, true])
    }
    for (const address of [
      "203.0.113.8",
      "11.0.0.1",
      "2001:db9::1",
      "::1",
      "",
      "localhost",
      "10.0.0.1, 1.2.3.4",
      undefined
    ]) {
      expect([address, from(address)]).toEqual([address, false])
    }
  })

  it("refuse what is no network", () => {
    for (const text of ["10.1.2.3/8", "10.0.0.0/33", "1.2.3", "::/129", "here", "010.0.0.1"]) {
      expect([text, networkOf(text)]).toEqual([text, undefined])
    }
  })

  it("stay unless they are changed, and are nothing if none is left", () => {
    const before = { models: ["a"], endsAt: 5 }
    expect(writeRestrictions(before, { models: null, allowed: undefined })).toBe('{"endsAt":5}')
    expect(writeRestrictions(before, { models: null, endsAt: null })).toBe(null)
  })
})
