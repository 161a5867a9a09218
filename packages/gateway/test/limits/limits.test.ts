import { describe, expect, it } from "@effect/vitest"
import { one } from "@tollgate/contract/price/Price"
import type { Allowance } from "@tollgate/contract/Tier"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import { LimitsByKey } from "../../src/limits/memory.ts"

const huge: Allowance = { rpm: 1_000_000, tpm: 1_000_000_000, concurrency: 1_000 }

const principal = (allowance: Allowance, key = "key_1"): Principal => ({
  account: "acc_1",
  key,
  allowance,
  multiplier: one
})

describe("the limits in memory", () => {
  it("are dropped when a key is idle", () => {
    const limits = new LimitsByKey()
    for (let i = 0; i < 10_000; i++) limits.refilled(principal(huge, `key_${i}`), 0).acquire({ concurrent: i === 7 }, 0)
    expect(limits.size).toBe(10_000)
    for (let i = 0; i < 10_000; i++) limits.refilled(principal(huge, "busy"), 120_000)
    expect(limits.size).toBe(64)
    const held = limits.refilled(principal(huge, "key_7"), 120_000)
    expect(held.exceeded({ concurrent: true }, { ...huge, concurrency: 1 }, 120_000)).toBeDefined()
  })

  it("are kept while a key has used some", () => {
    const limits = new LimitsByKey()
    const by = principal({ ...huge, rpm: 1 })
    limits.refilled(by, 0).acquire({ concurrent: false }, 0)
    for (let i = 0; i < 100; i++) limits.refilled(principal(huge, "busy"), 59_999)
    expect(limits.refilled(by, 59_999).exceeded({ concurrent: false }, by.allowance, 59_999)).toMatchObject({ wait: 1 })
  })
})
