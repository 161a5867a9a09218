import { describe, expect, it } from "@effect/vitest"
import { nano, type NanoUsd } from "@tollgate/contract/Money"
import { Total } from "@tollgate/tools/handlers"
import * as fc from "fast-check"

const amount = fc.bigInt({ min: 0n, max: 1_000n }).map(nano)

const call = fc.record({
  cap: amount,
  /** A share of the cap, in hundredths; `undefined` is an unknown end. */
  charged: fc.option(fc.bigInt({ min: 0n, max: 100n }), { nil: undefined })
})

describe("the total of a batch", () => {
  it("is never exceeded, in whatever order calls start and end", () => {
    fc.assert(
      fc.property(amount, fc.array(call), fc.infiniteStream(fc.nat(5)), (most, calls, choices) => {
        const total = new Total(most)
        const running: Array<{ readonly cap: NanoUsd; readonly charged: NanoUsd | undefined }> = []
        const check = () => {
          const taken = running.reduce((sum, { cap }) => sum + cap, 0n)
          expect(total.charged + total.held + taken).toBeLessThanOrEqual(most)
        }
        const endOne = (which: number) => {
          const [ended] = running.splice(which % running.length, 1)
          if (ended !== undefined) total.end(ended.cap, ended.charged)
          check()
        }
        for (const { cap, charged } of calls) {
          while (running.length > 0 && Number(choices.next().value) > 3) endOne(Number(choices.next().value))
          if (!total.take(cap)) continue
          running.push({ cap, charged: charged === undefined ? undefined : nano((cap * charged) / 100n) })
          check()
        }
        while (running.length > 0) endOne(Number(choices.next().value))
      })
    )
  })

  it("lets a later call have what an earlier one did not use", () => {
    const total = new Total(nano(10n))
    expect([total.take(nano(10n)), total.take(nano(1n))]).toEqual([true, false])
    total.end(nano(10n), nano(4n))
    expect([total.take(nano(7n)), total.take(nano(6n))]).toEqual([false, true])
  })
})
