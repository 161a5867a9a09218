import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { decode, encode } from "../../src/commit/journal/JournalLine.ts"
import { openedValues } from "../../src/ledger/callColumns.ts"

/** As the first version wrote it. A store with such a line must open in every later version. */
const first =
  '[["o",5,"c1","a","k","rerank",null,null,"10",null,4],["o",5,"c1","a","k","rerank","m-1","{}","10","12",4],' +
  '["e",6,"a","k","10","c2","settled",6,200,0,"8","7","7000",0,0,null,"settled","{}",1,2,3,4,"one",null,"[]","900","no"],' +
  '["e",7,"a","k","10","c3","released",7,500,1,0,0,0,0,0,null,null,null,0,0,0,0,"two","[]"],' +
  '["oe",9,["c7","a","k","rerank",null,null,0,null,9],["c7","replayed",9,null,0,0,0,0,0,0,null,null,null,0,0,0,0]]]'

describe("a journal line", () => {
  it("keeps its format on disk", () => {
    expect(encode(decode(first))).toBe(first)
  })

  it("is read with every reservation, and every end", () => {
    const [bare, full, settle] = decode(first)
    const reservation = { call: "c1", account: "a", key: "k", operation: "rerank", amount: 10n, createdAt: 4 }
    expect(bare).toMatchObject({ now: 5, reservation, ended: undefined })
    expect(full?.reservation).toEqual({ ...reservation, model: "m-1", tags: "{}", cap: 12n, keepAnswer: false })
    expect(settle?.reservation).toMatchObject({ call: "c2", account: "a", key: "k", amount: 10n })
    expect(settle?.ended?.slice(0, 8)).toEqual(["c2", "settled", 6, 200, 0, 8n, 7n, 7_000n])
  })

  it("of a version that knew fewer columns has none of the others", () => {
    const [entry] = decode('[["e",6,"a","k","10","c2","settled",6,200,1,"8"]]')
    expect(entry?.ended?.slice(5, 11)).toEqual([8n, 0n, 0n, 0n, 0n, null])
  })

  it("of a development version is refused, not misread", () => {
    expect(() => decode('[["reserve","c1","a","k","10",5,"rerank",4]]')).toThrow()
  })

  it("keeps text as it is", () => {
    const tags = '{"team":"a\\"\u2028\ud83e\udd80"}'
    const reservation = {
      call: "1",
      account: "2",
      key: "",
      operation: "3",
      tags,
      amount: micro(2n ** 60n),
      createdAt: 1,
      keepAnswer: false
    }
    const [entry] = decode(encode([{ now: 1, reservation, opened: openedValues(reservation), ended: undefined }]))
    expect(entry?.reservation).toEqual(reservation)
  })
})
