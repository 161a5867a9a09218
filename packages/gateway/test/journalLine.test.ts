import { describe, expect, it } from "@effect/vitest"
import { decode, encode } from "../src/ledger/journal/JournalLine.ts"

/** As the first version with a journal wrote it. A store with such a line must open in every later version. */
const stored =
  '[["reserve","c1","a","k","10",5,"rerank",4],' +
  '["settle","c2","a","k","10",6,200,"8","7","7000","settled","{}",1,2,3,4],' +
  '["release","c3","a","k","10",7,500],["hold","c4","a","k","10",8],["write_off","c5","a","k","10",9]]'

describe("a journal line", () => {
  it("keeps its format on disk", () => {
    expect(encode(decode(stored))).toBe(stored)
  })

  it("is read with every field", () => {
    const reservation = { account: "a", key: "k", operation: "", amount: 10n, createdAt: 0, keepAnswer: false }
    expect(decode(stored)).toMatchObject([
      { kind: "reserve", now: 5, reservation: { ...reservation, call: "c1", operation: "rerank", createdAt: 4 } },
      {
        kind: "settle",
        now: 6,
        reservation: { ...reservation, call: "c2" },
        settled: {
          settlement: { value: 8n, charged: 7n, chargedNano: 7_000n },
          costState: "settled",
          answer: { status: 200 },
          evidence: "{}",
          usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }
        }
      },
      { kind: "release", now: 7, reservation: { ...reservation, call: "c3" }, status: 500 },
      { kind: "mark_unknown", now: 8, reservation: { ...reservation, call: "c4" } },
      { kind: "write_off", now: 9, reservation: { ...reservation, call: "c5" } }
    ])
  })
})
