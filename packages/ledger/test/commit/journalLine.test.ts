import { describe, expect, it } from "@effect/vitest"
import { decode, encode } from "../../src/commit/journal/JournalLine.ts"

/** As the first version with a journal wrote it. A store with such a line must open in every later version. */
const first =
  '[["reserve","c1","a","k","10",5,"rerank",4],' +
  '["settle","c2","a","k","10",6,200,"8","7","7000","settled","{}",1,2,3,4],' +
  '["release","c3","a","k","10",7,500],["mark_unknown","c4","a","k","10",8]]'

/** As the version before models and upstreams wrote it, without and with a cap. */
const second =
  '[["reserve","c1","a","k","10",5,"rerank",4,null],["reserve","c1","a","k","10",5,"rerank",4,"12"],' +
  '["settle","c2","a","k","10",6,200,"8","7","7000","settled","{}",1,2,3,4,null,0],' +
  '["settle","c2","a","k","10",6,200,"8","7","7000","settled","{}",1,2,3,4,"12",1],' +
  '["release","c3","a","k","10",7,200,null,1],["release","c3","a","k","10",7,500,"12",0],' +
  '["mark_unknown","c4","a","k","10",8,null],["mark_unknown","c4","a","k","10",8,"12"],' +
  '["refuse","c6","a","k","10",9,"12"],["replay","c7","a","k","0",9,"rerank",4]]'

/** As it is written now. */
const stored =
  '[["reserve","c1","a","k","10",5,"rerank",4,null,null],["reserve","c1","a","k","10",5,"rerank",4,"12","m-1"],' +
  '["settle","c2","a","k","10",6,200,"8","7","7000","settled","{}",1,2,3,4,null,0,"one",null],' +
  '["settle","c2","a","k","10",6,200,"8","7","7000","settled","{}",1,2,3,4,"12",1,"two","[]"],' +
  '["settle","c2","a","k","10",6,200,"8","7","7000","settled","{}",1,2,3,4,null,0,"one",null,["tiers.turbo"]],' +
  '["settle","c2","a","k","10",6,200,"8","7","7000","settled","{}",1,2,3,4,null,0,"one",null,["a","b"],"900"],' +
  '["settle","c2","a","k","10",6,200,"8","7","7000","settled","{}",1,2,3,4,null,0,"one",null,null,"0"],' +
  '["release","c3","a","k","10",7,200,null,1,null,"[]"],["release","c3","a","k","10",7,500,"12",0,"one",null],' +
  '["mark_unknown","c4","a","k","10",8,null,null,"[]"],' +
  '["refuse","c6","a","k","10",9,"12"],["replay","c7","a","k","0",9,"rerank",4,"m-1"],' +
  '["reserve","c8","a","k","10",5,"rerank",4,null,null,"{}"],["replay","c9","a","k","0",9,"rerank",4,null,"{}"]]'

const reservation = { account: "a", key: "k", operation: "", amount: 10n, createdAt: 0, keepAnswer: false }
const settled = {
  settlement: { value: 8n, charged: 7n, chargedNano: 7_000n },
  costState: "settled",
  answer: { status: 200 },
  evidence: "{}",
  usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }
}

describe("a journal line", () => {
  it("keeps its format on disk", () => {
    expect(encode(decode(stored))).toBe(stored)
  })

  it("of the first version is read with every field; its charge is at most the reservation", () => {
    expect(decode(first)).toMatchObject([
      { kind: "reserve", now: 5, reservation: { ...reservation, call: "c1", operation: "rerank", createdAt: 4 } },
      { kind: "settle", now: 6, reservation: { ...reservation, call: "c2", cap: 10n }, settled },
      { kind: "release", now: 7, reservation: { ...reservation, call: "c3" }, status: 500 },
      { kind: "mark_unknown", now: 8, reservation: { ...reservation, call: "c4" } }
    ])
    const caps = decode(first).map(({ reservation }) => reservation.cap)
    expect(caps).toEqual([undefined, 10n, undefined, undefined])
  })

  it("is read with model and upstreams", () => {
    const [, reserve, one, two, , , , release, , unknown, , replay] = decode(stored)
    expect(reserve?.reservation.model).toBe("m-1")
    expect(replay?.reservation.model).toBe("m-1")
    expect([one, two, release, unknown].map((line) => [line?.upstream, line?.tried])).toEqual([
      ["one", undefined],
      ["two", "[]"],
      [undefined, "[]"],
      [undefined, "[]"]
    ])
  })

  it("is read with gaps and the upstream's cost, if it has them", () => {
    const ends = decode(stored).flatMap((line) => (line.kind === "settle" ? [line.settled] : []))
    expect(ends.map(({ cost, gaps }) => [gaps, cost])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [["tiers.turbo"], undefined],
      [["a", "b"], 900n],
      [undefined, 0n]
    ])
  })

  it("is read with the reason of a failure, if there is one", () => {
    const failed =
      '[["settle","c2","a","k","10",6,200,"8","7","7000","settled","{}",1,2,3,4,null,1,"one",null,null,null,"no The end"],' +
      '["settle","c2","a","k","10",6,200,"8","7","7000","settled","{}",1,2,3,4,null,1,"one",null,["a"],"9"," end"],' +
      '["release","c3","a","k","10",7,500,"12",0,"one",null,"no end"],["mark_unknown","c4","a","k","10",8,null,null,null,"no end"],' +
      '["refuse","c6","a","k","10",9,"12",null,null,"over_cap Much."]]'
    expect(encode(decode(failed))).toBe(failed)
    expect(decode(failed).map(({ error }) => error)).toEqual([
      "no The end",
      " end",
      "no end",
      "no end",
      "over_cap Much."
    ])
  })

  it("is read with tags, if the call has any", () => {
    expect(decode(stored).flatMap(({ reservation }) => reservation.tags ?? [])).toEqual(["{}", "{}"])
  })

  it("from before models and upstreams is read with cap and failure", () => {
    const lines = decode(second)
    expect(lines.map(({ reservation, tried, upstream }) => reservation.model ?? tried ?? upstream)).toEqual(
      lines.map(() => undefined)
    )
    expect(lines.map(({ reservation }) => reservation.cap)).toEqual([
      undefined,
      12n,
      undefined,
      12n,
      undefined,
      12n,
      undefined,
      12n,
      12n,
      undefined
    ])
    const failed = lines.flatMap((line) =>
      line.kind === "settle" ? [line.settled.failed] : line.kind === "release" ? [line.failed] : []
    )
    expect(failed).toEqual([undefined, true, true, undefined])
    expect(lines.at(-1)).toMatchObject({ kind: "replay", reservation: { call: "c7", operation: "rerank", amount: 0n } })
  })
})
