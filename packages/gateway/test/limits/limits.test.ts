import { describe, expect, it } from "@effect/vitest"
import type { Allowance } from "@tollgate/contract/Tier"
import { LimitsByKey } from "../../src/limits/memory.ts"

const huge: Allowance = { rpm: 1_000_000, tpm: 1_000_000_000, concurrency: 1_000 }

describe("the limits in memory", () => {
  it("are dropped when a key is idle", () => {
    const limits = new LimitsByKey()
    for (let i = 0; i < 10_000; i++) limits.refilled(`key_${i}`, huge, 0).acquire({ concurrent: i === 7 }, 0)
    expect(limits.size).toBe(10_000)
    for (let i = 0; i < 10_000; i++) limits.refilled("busy", huge, 120_000)
    expect(limits.size).toBe(64)
    const held = limits.refilled("key_7", huge, 120_000)
    expect(held.exceeded({ concurrent: true }, { ...huge, concurrency: 1 }, 120_000)).toBeDefined()
  })

  it("are kept while a key has used some", () => {
    const limits = new LimitsByKey()
    const allowance = { ...huge, rpm: 1 }
    limits.refilled("key_1", allowance, 0).acquire({ concurrent: false }, 0)
    for (let i = 0; i < 100; i++) limits.refilled("busy", huge, 59_999)
    expect(
      limits.refilled("key_1", allowance, 59_999).exceeded({ concurrent: false }, allowance, 59_999)
    ).toMatchObject({ wait: 1 })
  })
})
