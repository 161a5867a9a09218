import { expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { hasChromium } from "@tollgate/testing/chromium"
import { calls, priced } from "@tollgate/testing/models"
import { openHooks } from "@tollgate/testing/react/openHooks"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const messages = [{ role: "user", content: "Why do rivers bend?" }]

const gateway = Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))

/** Waits until the only call has ended: its caller may leave earlier. */
const onlyCall = Effect.gen(function* () {
  for (;;) {
    const [call, another] = yield* calls
    expect(another).toBeUndefined()
    if (call !== undefined && call.state !== "open") return call
    yield* Effect.sleep("5 millis")
  }
})

/** A test in a page of its own that shows a hook. */
const test = (
  name: string,
  shown: string,
  use: (page: Effect.Success<ReturnType<typeof openHooks>>) => Effect.Effect<unknown, unknown, Host | TestGateway>,
  settings: object = {}
) =>
  it.live.skipIf(!hasChromium)(name, () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const page = yield* openHooks({ baseUrl, key, ...settings })
      yield* page.show(shown)
      yield* use(page)
      expect(page.problems).toEqual([])
    }).pipe(Effect.scoped, Effect.provide(gateway))
  )

test("a stream's text grows until it is done, and its cost is what the ledger has", "Stream", (page) =>
  Effect.gen(function* () {
    yield* page.until("state", "idle")
    yield* page.act("start", { model: "sandbox", messages })
    yield* page.until("state", "done")
    const { charged } = yield* onlyCall
    const { cost, error, events, text } = yield* page.read
    expect(String(text).length).toBeGreaterThan(20)
    expect(Array.isArray(events) && events.length).toBeGreaterThan(3)
    expect({ cost, error }).toEqual({ cost: { state: "settled", micros: charged }, error: undefined })
  })
)
