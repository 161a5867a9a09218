import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Connections, type Slot } from "../../src/upstream/Connections.ts"

const entered = (connections: Connections, key: string): Slot => {
  const slot = connections.enter(key)
  if (slot === undefined) throw new Error("refused")
  return slot
}

const enterAll = (connections: Connections, ...keys: ReadonlyArray<string>) =>
  keys.map((key) => entered(connections, key))

const held = (slots: ReadonlyArray<Slot>) => slots.flatMap(({ hasConnection }, i) => (hasConnection ? [i] : []))

/** The slots that get the connection if each gives it back at once. */
const servedAfter = (first: Slot, waiting: ReadonlyArray<Slot>): ReadonlyArray<Slot> => {
  const served: Array<Slot> = []
  for (
    let slot: Slot | undefined = first;
    slot !== undefined;
    slot = waiting.find(({ hasConnection }) => hasConnection)
  ) {
    slot.end()
    if (slot !== first) served.push(slot)
  }
  return served
}

describe("the connections to an upstream", () => {
  it("are given to the keys in turn", () => {
    const connections = new Connections(1)
    const slots = enterAll(connections, "a", "a", "a", "a", "b", "c", "b")
    const order: Array<number> = []
    for (let i = 0; i < slots.length; i++) {
      const [at = -1] = held(slots)
      order.push(at)
      slots[at]?.end()
    }
    expect(order).toEqual([0, 1, 4, 5, 2, 6, 3])
    expect(entered(connections, "a").hasConnection).toBe(true)
  })

  it("do not go to a call that has left the queue", () => {
    const connections = new Connections(1)
    const [first, second, third] = enterAll(connections, "a", "b", "c")
    second?.end()
    first?.end()
    expect([second?.hasConnection, third?.hasConnection]).toEqual([false, true])
  })

  it("are given back once, however often the end is reported", () => {
    const connections = new Connections(1)
    const [first, second, third] = enterAll(connections, "a", "b", "c")
    first?.end()
    first?.end()
    expect([second?.hasConnection, third?.hasConnection]).toEqual([true, false])
  })

  it("have a bounded queue for each key", () => {
    const connections = new Connections(1)
    enterAll(connections, ...Array.from({ length: 65 }, () => "a"))
    expect(connections.enter("a")).toBeUndefined()
    expect(connections.enter("b")).toBeDefined()
  })

  it("have a bounded queue for all keys, in which the key with the most calls gives way", () => {
    const connections = new Connections(1)
    const first = entered(connections, "a")
    const waiting = enterAll(connections, ...[..."abcd"].flatMap((key) => Array.from({ length: 64 }, () => key)))
    expect(connections.enter("a")).toBeUndefined()
    const late = Array.from({ length: 50 }, () => entered(connections, "e"))
    const served = servedAfter(first, [...waiting, ...late])
    expect(served).toHaveLength(256)
    expect(late.every((slot) => served.includes(slot))).toBe(true)
  })

  it("refuse a new key if no other waits with more than one call", () => {
    const connections = new Connections(1)
    const first = entered(connections, "a")
    const waiting = enterAll(connections, ...Array.from({ length: 256 }, (_, i) => `key ${i}`))
    expect(connections.enter("late")).toBeUndefined()
    expect(servedAfter(first, waiting)).toHaveLength(256)
  })

  it("never exceed their number, and none is lost, whatever ends in which order", () => {
    const action = fc.record({ key: fc.nat({ max: 4 }), end: fc.option(fc.nat({ max: 100 })) })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(action, { maxLength: 200 }), (limit, actions) => {
        const connections = new Connections(limit)
        let slots: ReadonlyArray<Slot> = []
        for (const { end, key } of actions) {
          if (end === null) slots = [...slots, entered(connections, String(key))]
          else {
            const slot = slots[end % Math.max(1, slots.length)]
            slot?.end()
            slots = slots.filter((other) => other !== slot)
          }
          expect(held(slots)).toHaveLength(Math.min(limit, slots.length))
        }
      })
    )
  })
})
