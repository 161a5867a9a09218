import { expect, it } from "@effect/vitest"
import { key } from "@tollgate/testing"
import { bundlePage, chromium, hasChromium } from "@tollgate/testing/chromium"
import { servePage } from "@tollgate/testing/client/servePage"
import { pausedUpstream } from "@tollgate/testing/hostile/pausedUpstream"
import { begin, charged, chunk, last, words } from "@tollgate/testing/hostile/resuming"
import { Served, servedTo, streamProviders } from "@tollgate/testing/hostile/Served"
import { calls } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"

it.live.skipIf(!hasChromium)("in Chromium a page that is reloaded goes on with its stream, and pays once", () =>
  Effect.gen(function* () {
    const upstream = yield* pausedUpstream
    yield* Effect.gen(function* () {
      const { baseUrl } = yield* Served
      const { url } = yield* servePage(yield* bundlePage("./client/reloadedPage.ts"), { baseUrl, key })
      const tab = yield* Effect.flatMap(chromium, (browser) => Effect.promise(() => browser.newPage()))
      const shows = (text: string) => Effect.promise(() => tab.getByText(text, { exact: true }).waitFor())
      const reload = Effect.promise(() => tab.reload())
      const outcome = Effect.promise(async () => {
        await tab.waitForSelector("body[data-outcome]", { state: "attached" })
        return JSON.parse((await tab.getAttribute("body", "data-outcome")) ?? "null") as unknown
      })

      yield* Effect.promise(() => tab.goto(url))
      yield* upstream.arrived(1)
      const [res] = yield* upstream.answer(begin("Because", " of"))
      yield* shows("Because of")
      yield* reload
      // Sent after the reload, to the page as it is now.
      res!.write(chunk(" the"))
      yield* shows("Because of the")
      yield* reload
      res!.end(words.slice(3).map(chunk).join("") + last)

      const [call, ...others] = yield* Effect.andThen(outcome, calls)
      expect(others).toEqual([])
      expect(call).toMatchObject({ state: "settled", cost_state: "settled", charged })
      const whole = { text: words.join(""), cost: { state: "settled", micros: charged } }
      expect(yield* outcome).toMatchObject(whole)
      // Also when it has ended.
      yield* reload
      expect(yield* outcome).toMatchObject(whole)
      expect(yield* calls).toHaveLength(1)
      expect(upstream.received).toHaveLength(1)
    }).pipe(Effect.provide(servedTo(streamProviders(upstream.port, { deadlineMillis: 600_000 }))))
  }).pipe(Effect.scoped)
)
