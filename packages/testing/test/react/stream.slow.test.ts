import { describe, expect, layer } from "@effect/vitest"
import { type Host, TestGateway } from "@tollgate/testing"
import { hasChromium } from "@tollgate/testing/chromium"
import { endedCalls } from "@tollgate/testing/react/endedCalls"
import { type HookPage, HookPages } from "@tollgate/testing/react/HookPages"
import { pricedSandbox } from "@tollgate/testing/react/pricedSandbox"
import * as Effect from "effect/Effect"

const stalling = "stall; after=5"
const refusing = "status; code=400"
const breaking = "stream-error; after=5"

const gateway = pricedSandbox([stalling, refusing, breaking])

const ask = (scenario?: string) => [
  {
    model: scenario === undefined ? "sandbox" : `sandbox:${scenario}`,
    messages: [{ role: "user", content: "Why do rivers bend?" }]
  }
]

const inChromium = layer(HookPages.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)("useStream in Chromium", () =>
  inChromium((it) => {
    const test = (
      name: string,
      shown: string,
      use: (page: HookPage) => Effect.Effect<unknown, unknown, Host | TestGateway>,
      settings?: object
    ) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const { open } = yield* HookPages
          const page = yield* open(shown, settings)
          yield* use(page)
          expect(page.problems).toEqual([])
        }).pipe(Effect.scoped, Effect.provide(gateway))
      )

    test("a stream's text arrives, and its cost is what the ledger has", "Answer", (page) =>
      Effect.gen(function* () {
        expect(yield* page.read).toEqual({ state: "idle", text: "", events: [] })
        yield* page.act("start", ask())
        yield* page.until("state", "done")
        const [call] = yield* endedCalls(1)
        const { cost, error, events, requestId, text } = yield* page.read
        expect(String(text).length).toBeGreaterThan(20)
        expect(Array.isArray(events) && events.length).toBeGreaterThan(3)
        expect(cost).toMatchObject({ state: "settled", micros: call?.charged })
        expect({ error, requestId }).toEqual({ error: undefined, requestId: call?.id })
      })
    )

    test("unmounting closes the connection, and only what was delivered is charged", "Answer", (page) =>
      Effect.gen(function* () {
        yield* page.act("start", ask(stalling))
        yield* page.untilText
        yield* page.show()
        yield* page.untilAborted("POST /v1/chat/completions")
        // The gateway settles it because its caller left.
        expect(yield* endedCalls(1)).toMatchObject([{ state: "settled", cost_state: "estimated" }])
      })
    )

    test("stopping closes the connection and keeps the text", "Answer", (page) =>
      Effect.gen(function* () {
        yield* page.act("start", ask(stalling))
        yield* page.untilText
        yield* page.act("stop", [])
        yield* page.until("state", "stopped")
        yield* page.untilAborted("POST /v1/chat/completions")
        expect((yield* page.read)["text"]).not.toBe("")
        yield* endedCalls(1)
      })
    )

    test("another start aborts the stream before it and begins with no text", "Answer", (page) =>
      Effect.gen(function* () {
        yield* page.act("start", ask())
        yield* page.until("state", "done")
        const { text } = yield* page.read
        yield* page.act("start", ask(stalling))
        yield* page.untilText
        yield* page.act("start", ask())
        yield* page.until("state", "done")
        expect((yield* page.read)["text"]).toBe(text)
        yield* endedCalls(3)
      })
    )

    test("starts in the same tick send one request", "Answer", (page) =>
      Effect.gen(function* () {
        yield* page.act("start", ask(), 3)
        yield* page.until("state", "done")
        yield* endedCalls(1)
      })
    )

    test(
      "strict mode mounts twice and pays once, even for a stream that an effect starts",
      "Hasty",
      (page) =>
        Effect.gen(function* () {
          yield* page.until("state", "done")
          yield* endedCalls(1)
          expect(page.requests.filter((request) => request.startsWith("POST"))).toHaveLength(1)
          expect(yield* (yield* TestGateway).billingLog.count).toBe(1)
        }),
      { model: "sandbox" }
    )

    test("a refused call fails with its error as a value, and nothing is charged", "Answer", (page) =>
      Effect.gen(function* () {
        yield* page.act("start", ask(refusing))
        yield* page.until("state", "failed")
        expect(yield* page.read).toMatchObject({ text: "", error: { _tag: "InvalidRequest", status: 400 } })
        expect(yield* endedCalls(1)).toMatchObject([{ charged: 0 }])
      })
    )

    test("a stream that breaks fails with its error and keeps the text", "Answer", (page) =>
      Effect.gen(function* () {
        yield* page.act("start", ask(breaking))
        yield* page.until("state", "failed")
        const { error, text } = yield* page.read
        expect(error).toMatchObject({ _tag: "StreamFailed", outcome: "executed" })
        expect(text).not.toBe("")
        yield* page.act("start", ask())
        yield* page.until("state", "done")
        expect((yield* page.read)["error"]).toBeUndefined()
      })
    )

    test(
      "a client that cannot be made is a value too",
      "Answer",
      (page) =>
        Effect.gen(function* () {
          yield* page.act("start", ask())
          yield* page.until("state", "failed")
          expect((yield* page.read)["error"]).toMatchObject({
            _tag: "Defect",
            message: expect.stringContaining("baseUrl")
          })
        }),
      { baseUrl: "nowhere" }
    )

    test("hundreds of events of a stream of one's own render as often as a screen shows frames", "Fast", (page) =>
      Effect.gen(function* () {
        const before = yield* page.commits
        yield* page.act("start", [300])
        yield* page.until("state", "done")
        const after = yield* page.commits
        expect((yield* page.read)["text"]).toBe("x".repeat(300))
        // Each batch waits 16 ms; the start and the end are two more.
        expect(after.commits - before.commits).toBeLessThan((after.millis - before.millis) / 15 + 3)
      })
    )
  })
)
