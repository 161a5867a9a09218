import { describe, expect, it } from "vitest"
import { Line, Waiter } from "@tollgate/ledger/ledger/Line"

const longest = 10_000

class Named extends Waiter {
  readonly name: string
  constructor(name: string, amount: number, since = 0) {
    super(name.slice(0, 1), BigInt(amount), since)
    this.name = name
  }
}

interface Money {
  account: number
  /** Of keys with a budget. */
  readonly keys?: Record<string, number>
}

const lacks = ({ amount, key }: Named, money: Money): "account" | "key" | undefined => {
  if ((money.keys?.[key] ?? Infinity) < Number(amount)) return "key"
  return money.account < Number(amount) ? "account" : undefined
}

/** Tries whoever is next until nobody is. Returns who got money, in order, and how many were tried. */
const serve = (line: Line<Named>, money: Money, now: number) => {
  const served: Array<string> = []
  let tries = 0
  for (;;) {
    const batch = line.next(now)
    if (batch.length === 0) return { served, tries }
    let allFit = true
    for (const waiter of batch) {
      tries++
      const of = lacks(waiter, money)
      if (of === undefined) {
        money.account -= Number(waiter.amount)
        served.push(waiter.name)
        line.ended(waiter)
      } else {
        allFit = false
        line.lacked(waiter, of, true)
      }
    }
    if (allFit) line.allFit()
  }
}

const lineOf = (...waiters: ReadonlyArray<Named>) => {
  const line = new Line<Named>(longest)
  for (const waiter of waiters) line.add(waiter)
  return line
}

const free = (line: Line<Named>, money: Money, now = 0) => {
  line.freed()
  return serve(line, money, now).served
}

describe("a line of waiting calls", () => {
  it("serves the keys by turns, and each key's calls in the order they came", () => {
    const names = ["a1", "a2", "a3", "a4", "b1", "c1", "c2"]
    const line = lineOf(...names.map((name) => new Named(name, 1)))
    const order: Array<string> = []
    while (line.size > 0) order.push(...free(line, { account: 1 }))
    expect(order).toEqual(["a1", "b1", "c1", "a2", "c2", "a3", "a4"])
  })

  it("keeps the turns of the keys when money for many is set free at once", () => {
    const names = ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "c1"]
    const line = lineOf(...names.map((name) => new Named(name, 1)))
    expect(free(line, { account: 100 })).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4", "a5", "a6"])
    expect(line.size).toBe(0)
  })

  it("tries nobody again before money is set free, and nobody who needs more than one who was refused", () => {
    const line = lineOf(new Named("a1", 5), new Named("b1", 9), new Named("c1", 5), new Named("d1", 4))
    expect(serve(line, { account: 4 }, 0)).toEqual({ served: ["d1"], tries: 2 })
    expect(line.next(0)).toEqual([])
    line.add(new Named("e1", 6))
    expect(line.next(0)).toEqual([])
    line.add(new Named("f1", 1))
    expect(line.next(0).map(({ name }) => name)).toEqual(["f1"])
  })

  it("lets calls that fit pass a larger one for half of the longest wait, and then not", () => {
    const line = lineOf(new Named("a1", 9), new Named("b1", 2), new Named("a2", 2))
    expect(free(line, { account: 3 }, 4_999)).toEqual(["b1"])
    expect(free(line, { account: 3 }, 5_000)).toEqual([])
    line.add(new Named("c1", 1, 5_000))
    expect(serve(line, { account: 3 }, 6_000).served).toEqual([])
    // Its money comes together, and the others follow.
    expect(free(line, { account: 12 }, 7_000)).toEqual(["a1", "c1", "a2"])
  })

  it("lets the others pass for as long as one held them up that left without its money", () => {
    const large = new Named("a1", 9)
    const line = lineOf(large, new Named("b1", 2, 3_000))
    expect(free(line, { account: 3 }, 4_000)).toEqual(["b1"])
    line.add(new Named("a2", 9, 5_000))
    line.add(new Named("b2", 2, 6_000))
    expect(free(line, { account: 3 }, 7_000)).toEqual([])
    line.left(large, 10_000)
    // The next large one is due, and the line stays open for three seconds all the same.
    expect(free(line, { account: 3 }, 10_000)).toEqual(["b2"])
    line.add(new Named("b3", 2, 10_000))
    expect(free(line, { account: 3 }, 12_999)).toEqual(["b3"])
    line.add(new Named("b4", 2, 13_000))
    expect(free(line, { account: 3 }, 13_000)).toEqual([])
  })

  it("holds up only its own key for one that lacks the key's own money", () => {
    const line = lineOf(new Named("a1", 9), new Named("a2", 1), new Named("b1", 5))
    const money = { account: 100, keys: { a: 8 } }
    expect(free(line, money, 6_000)).toEqual(["b1"])
    expect(free(line, { account: 100, keys: { a: 10 } }, 6_000)).toEqual(["a1", "a2"])
  })

  it("forgets those who leave", () => {
    const [one, other] = [new Named("a1", 5), new Named("a2", 5)]
    const line = lineOf(one, other)
    line.left(one, 0)
    line.left(one, 0)
    expect([line.size, line.all()]).toEqual([1, [other]])
    expect(free(line, { account: 5 })).toEqual(["a2"])
    expect(line.next(0)).toEqual([])
  })
})
