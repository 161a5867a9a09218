import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Breaker, type Failure } from "../../src/upstream/Breaker.ts"

const probeMillis = 60_000

type Result = "ok" | Failure

/** Sends calls through a breaker. A call that the breaker holds back is not sent. */
const simulation = () => {
  const breaker = new Breaker(probeMillis)
  let now = 1_000_000
  return {
    breaker,
    advance: (millis: number) => void (now += millis),
    /** Whether the call was sent. */
    begin: (account: string): ((result: Result) => void) | undefined => {
      if (!breaker.isClosed) {
        if (breaker.wait(account, now) > 0) return undefined
        breaker.probe(account, now)
      }
      const { state } = breaker
      return (result) =>
        result === "ok" ? breaker.succeeded(state, account) : breaker.failed(state, account, result, now)
    },
    wait: (account: string) => breaker.wait(account, now)
  }
}

const times = (count: number, run: (i: number) => void) => Array.from({ length: count }, (_, i) => run(i))

const step = fc.record({ account: fc.nat({ max: 5 }), burst: fc.nat({ max: 20 }), millis: fc.nat({ max: 3_000 }) })

describe("the breaker of an upstream", () => {
  it("tells that it opened once, and that the upstream answers again, and the first answer of all", () => {
    const told: Array<boolean> = []
    const breaker = new Breaker(probeMillis, (isUp) => void told.push(isUp))
    const fail = (now: number) => breaker.failed(breaker.state, "a", "unreached", now)
    for (let i = 0; i < 3; i++) breaker.succeeded(breaker.state, "a")
    expect(told).toEqual([true])
    times(5, () => fail(0))
    expect(told).toEqual([true, false])
    breaker.probe("a", 10_000)
    fail(10_000)
    expect(told).toEqual([true, false])
    breaker.probe("a", 100_000)
    for (let i = 0; i < 3; i++) breaker.succeeded(breaker.state, "a")
    expect(told).toEqual([true, false, true])
  })

  it("never opens by what one account provokes, whatever the others do meanwhile", () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 50, maxLength: 400 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 4, max: 9 }),
        (steps, others, every) => {
          const { advance, begin, breaker } = simulation()
          const honest = new Map<number, number>()
          for (const { account, burst, millis } of steps) {
            advance(millis)
            times(burst, () => begin("hostile")?.("failed"))
            const name = account % others
            const count = (honest.get(name) ?? 0) + 1
            honest.set(name, count)
            // Even a good upstream fails now and then.
            begin(String(name))?.(count % every === 0 ? "failed" : "ok")
            expect(breaker.isClosed).toBe(true)
          }
        }
      )
    )
  })

  it("stays closed if only one of several accounts gets no connection", () => {
    const { begin, breaker } = simulation()
    times(100, () => {
      begin("hostile")?.("unreached")
      begin("honest")?.("ok")
      times(4, () => begin("hostile")?.("unreached"))
    })
    expect(breaker.isClosed).toBe(true)
  })

  it("never opens by answers if there is only one account", () => {
    const { begin, breaker } = simulation()
    times(1_000, () => begin("only")?.("failed"))
    expect(breaker.isClosed).toBe(true)
  })

  it("opens after five attempts without a connection, from one account or several", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 3 }), { minLength: 5, maxLength: 5 }),
        fc.nat({ max: 1_000 }),
        (calls, good) => {
          const { begin, breaker } = simulation()
          times(good, (i) => begin(String(i % 7))?.("ok"))
          calls.forEach((account, i) => {
            expect([i, breaker.isClosed]).toEqual([i, true])
            begin(String(account))?.("unreached")
          })
          expect(breaker.isClosed).toBe(false)
        }
      )
    )
  })

  it("opens if an upstream fails for several accounts, by the sixth call of each at the latest", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 20 }), fc.nat({ max: 1_000 }), (accounts, good) => {
        const { begin, breaker } = simulation()
        times(good, (i) => begin(String(i % accounts))?.("ok"))
        times(6 * accounts, (i) => begin(String(i % accounts))?.("failed"))
        expect(breaker.isClosed).toBe(false)
      })
    )
  })

  it("forgets an account that did not call for half a minute", () => {
    const { advance, begin, breaker } = simulation()
    times(20, (i) => {
      times(10, () => begin(String(i))?.("failed"))
      advance(30_000)
    })
    expect(breaker.isClosed).toBe(true)
  })

  describe("once open", () => {
    const opened = () => {
      const parts = simulation()
      times(5, () => parts.begin("a")?.("unreached"))
      expect(parts.breaker.isClosed).toBe(false)
      return parts
    }

    it("closes after one good probe, which is the only call until its result", () => {
      const { advance, begin, breaker, wait } = opened()
      expect(wait("a")).toBe(5_000)
      advance(5_000)
      const probe = begin("a")
      expect(begin("b")).toBeUndefined()
      advance(probeMillis - 1)
      expect(begin("b")).toBeUndefined()
      probe?.("ok")
      expect(breaker.isClosed).toBe(true)
      expect(begin("b")).toBeDefined()
    })

    it("gives up a probe that never ends, and ignores its late result", () => {
      const { advance, begin, breaker } = opened()
      advance(5_000)
      const lost = begin("a")
      advance(probeMillis)
      const next = begin("b")
      expect(next).toBeDefined()
      lost?.("unreached")
      next?.("ok")
      expect(breaker.isClosed).toBe(true)
    })

    it("probes with the next call if a probe has no result", () => {
      const { advance, begin, breaker } = opened()
      advance(5_000)
      begin("a")
      breaker.abandoned(breaker.state)
      expect(begin("b")).toBeDefined()
    })

    it("closes after any answer if no connection could be made before", () => {
      const { advance, begin, breaker } = opened()
      advance(5_000)
      begin("hostile")?.("failed")
      expect(breaker.isClosed).toBe(true)
    })

    it("lets other accounts probe before one whose probe failed", () => {
      const { advance, begin, breaker, wait } = simulation()
      times(20, (i) => begin(i % 2 === 0 ? "a" : "b")?.("failed"))
      advance(5_000)
      begin("hostile")?.("failed")
      expect(wait("b")).toBe(10_000)
      advance(10_000)
      expect(begin("hostile")).toBeUndefined()
      begin("b")?.("ok")
      expect(breaker.isClosed).toBe(true)
    })

    it("is not stuck if the clock is set back", () => {
      const { advance, begin } = opened()
      advance(-3_600_000)
      expect(begin("a")).toBeDefined()
      advance(-3_600_000)
      expect(begin("b")).toBeDefined()
    })
  })
})
