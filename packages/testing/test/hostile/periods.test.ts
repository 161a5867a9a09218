import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const day = 86_400_000

const gateway = () => Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))

/** Costs 0.00145 USD. */
const fetchTag = ask("GET", "/apis/v1/reseller/social_c/web/fetch_tag_detail?tag_name=x", {
  authorization: `Bearer ${key}`
})

describe("a quota for two calls a day", () => {
  it.effect("lets one more through after a call with the clock a day ahead, not all", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      const [own] = yield* accounts.listKeys(account)
      yield* accounts.changeKey(own?.id ?? "", { dayBudget: micro(2_900n) })
      yield* TestClock.setTime(2 * day)
      expect((yield* fetchTag).status).toBe(200)
      yield* TestClock.setTime(day)
      const statuses: Array<number> = []
      for (let i = 0; i < 40; i++) statuses.push((yield* fetchTag).status)
      expect(statuses).toEqual([200, ...Array<number>(39).fill(429)])
      yield* TestClock.setTime(3 * day)
      expect((yield* fetchTag).status).toBe(200)
    }).pipe(Effect.provide(gateway()))
  )
})
