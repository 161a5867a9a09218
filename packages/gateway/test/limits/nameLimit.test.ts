import { describe, expect, it } from "@effect/vitest"
import { AddressLimit, networkOf } from "../../src/limits/NameLimit.ts"

describe("a limit by address", () => {
  it("admits a burst, then one for each interval", () => {
    const limit = new AddressLimit({ burst: 3, perMinute: 60 })
    expect([0, 0, 0, 0].map(() => limit.take("1.2.3.4", 0))).toEqual([0, 0, 0, 1_000])
    expect([limit.wait("1.2.3.4", 999), limit.take("1.2.3.4", 1_000), limit.take("1.2.3.4", 1_000)]).toEqual([
      1, 0, 1_000
    ])
    expect(limit.take("1.2.3.5", 0)).toBe(0)
  })

  it("does not count what it refuses", () => {
    const limit = new AddressLimit({ burst: 1, perMinute: 60 })
    for (let i = 0; i < 100; i++) limit.take("1.2.3.4", 0)
    expect(limit.take("1.2.3.4", 1_000)).toBe(0)
  })

  it("forgets the address that was quiet the longest, and remembers ten thousand", () => {
    const limit = new AddressLimit({ burst: 1, perMinute: 1 })
    for (let i = 0; i < 30_000; i++) {
      limit.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 0)
      if (i % 5_000 === 0) limit.take("1.2.3.4", i * 60_000)
    }
    expect(limit.size).toBe(10_000)
    expect(limit.wait("10.0.0.1", 0)).toBe(0)
    expect(limit.wait("10.0.117.47", 0)).toBe(60_000)
  })

  it("goes on as before if the clock is set back", () => {
    const limit = new AddressLimit({ burst: 2, perMinute: 60 })
    expect(limit.take("1.2.3.4", 1_000_000_000)).toBe(0)
    expect([limit.take("1.2.3.4", 0), limit.take("1.2.3.4", 0), limit.take("1.2.3.4", 1_000)]).toEqual([0, 1_000, 0])
  })

  it("does not limit without an address", () => {
    const limit = new AddressLimit({ burst: 1, perMinute: 1 })
    expect([limit.take(undefined, 0), limit.take(undefined, 0), limit.size]).toEqual([0, 0, 0])
  })
})

describe("the network of an address", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::1", "0:0:0:0"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["2001:0DB8:0:7:1:2:3:4", "2001:db8:0:7"],
    ["fe80::1%eth0", "fe80:0:0:0"]
  ])("of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
