import { expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { bundlePage, chromium, hasChromium } from "@tollgate/testing/chromium"
import { servePage } from "@tollgate/testing/client/servePage"

it.live.skipIf(!hasChromium)("in Chromium the client works with Effect and with promises, with the same errors", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const { url } = yield* servePage(yield* bundlePage("./client/page.ts"), { baseUrl, key })
    const tab = yield* Effect.flatMap(chromium, (browser) => Effect.promise(() => browser.newPage()))
    yield* Effect.promise(() => tab.goto(url))
    yield* Effect.promise(() => tab.waitForSelector("body[data-outcome]", { state: "attached" }))
    const outcome: unknown = JSON.parse(
      (yield* Effect.promise(() => tab.getAttribute("body", "data-outcome"))) ?? "null"
    )
    expect(outcome).toMatchObject({
      effect: { model: "rerank", results: [{ index: 1 }, { index: 0 }] },
      promise: { model: "rerank", results: [{ index: 1 }, { index: 0 }] },
      unauthenticated: { tag: "Unauthenticated", outcome: "not executed" },
      unreachable: { tag: "OutcomeUnknown", outcome: "unknown" },
      refusedWithoutOptIn: expect.stringContaining("allowKeyInPage")
    })
    expect(JSON.stringify(outcome)).not.toContain("no failure")
    expect(yield* (yield* TestGateway).billingLog.count).toBe(2)
  }).pipe(Effect.scoped, Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer()))))
)
