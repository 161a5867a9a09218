import { describe, expect, it } from "@effect/vitest"
import { key, TestGateway } from "@tollgate/testing"
import { request } from "@tollgate/testing/hardening/requests"
import { wire } from "@tollgate/testing/hardening/wire"
import { askServed } from "@tollgate/testing/hostile/askServed"
import { completion, pausedUpstream, until } from "@tollgate/testing/hostile/pausedUpstream"
import { gatewayTo, providerAt, Served, servedTo } from "@tollgate/testing/hostile/Served"
import { calls, reservedTotal } from "@tollgate/testing/models"
import { type CommitListener, OnCommit } from "@tollgate/ledger/commit/OnCommit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

const chat = JSON.stringify({ model: "sandbox", max_tokens: 1_000, messages: [{ role: "user", content: "Why?" }] })
const contents = JSON.stringify({
  contents: [{ role: "user", parts: [{ text: "Why?" }] }],
  generationConfig: { maxOutputTokens: 1_000 }
})

const chatAt = (port: number) => ({
  "chat.completions": providerAt(port, { protocol: "openai" }),
  messages: providerAt(port, { name: "claude", protocol: "anthropic" }),
  "models.generate_content": providerAt(port, { name: "gemini", protocol: "gemini" })
})

const ask = askServed("/v1/chat/completions", chat, { authorization: `Bearer ${key}` })

/** What a call reserves is about 17,000 micro-USD. This pays for one at a time, and for many that cost 370. */
const oneAtATime = Effect.gen(function* () {
  const { account, accounts } = yield* TestGateway
  const { balance } = yield* accounts.get(account)
  yield* accounts.adjust(account, 25_000n - balance, "one at a time")
})

/** Nobody waits for so long, unless money is missing that should have been set free. */
const long = 60_000

/** Connections are served in order, so the gateway has seen what other callers did before. */
const gatewayHasSeenIt = Effect.asVoid(askServed("/v1/nothing", "{}"))

describe("a call whose money others have reserved", () => {
  it.live("waits, and is sent when a call before it has ended", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        yield* oneAtATime
        const callers = yield* Effect.forEach(Array.from({ length: 6 }), () => Effect.forkChild(ask))
        for (let i = 1; i <= 6; i++) {
          yield* upstream.arrived(i)
          yield* gatewayHasSeenIt
          expect([upstream.received.length, (yield* calls).filter(({ state }) => state === "open").length]).toEqual([
            i,
            1
          ])
          yield* upstream.answer(completion(10, 20))
        }
        const answers = yield* Effect.forEach(callers, Fiber.join)
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
        expect((yield* calls).map(({ charged, state }) => [state, charged])).toEqual(
          Array.from({ length: 6 }, () => ["settled", 370])
        )
        expect(yield* reservedTotal).toBe(0)
      }).pipe(Effect.provide(servedTo(chatAt(upstream.port), { waitMillis: long })))
    }).pipe(Effect.scoped)
  )

  it.live("is not sent if its caller leaves, and nothing of it is recorded", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        yield* oneAtATime
        const { port } = yield* Served
        const first = yield* Effect.forkChild(ask)
        yield* upstream.arrived(1)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const client = yield* wire(port)
            client.send(request("POST /v1/chat/completions", [], chat))
            yield* gatewayHasSeenIt
            client.socket.resetAndDestroy()
          })
        )
        yield* gatewayHasSeenIt
        const last = yield* Effect.forkChild(ask)
        yield* gatewayHasSeenIt
        yield* upstream.answer(completion(10, 20))
        expect((yield* Fiber.join(first)).status).toBe(200)
        // The one that stayed is next.
        yield* upstream.arrived(2)
        yield* upstream.answer(completion(10, 20))
        expect((yield* Fiber.join(last)).status).toBe(200)
        expect(upstream.received).toHaveLength(2)
        expect((yield* calls).map(({ state }) => state)).toEqual(["settled", "settled"])
        expect(yield* reservedTotal).toBe(0)
      }).pipe(Effect.provide(servedTo(chatAt(upstream.port), { waitMillis: long })))
    }).pipe(Effect.scoped)
  )

  it.live("gets 429 in its family's shape when its time is over, and may repeat it", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        yield* oneAtATime
        const first = yield* Effect.forkChild(ask)
        yield* upstream.arrived(1)
        const limited = { type: "rate_limit_error" }
        for (const [path, body, headers, shape] of [
          [
            "/v1/chat/completions",
            chat,
            { authorization: `Bearer ${key}` },
            { error: { code: "balance_reserved", ...limited } }
          ],
          [
            "/v1/messages",
            chat,
            { "x-api-key": key },
            { type: "error", error: { code: "balance_reserved", ...limited } }
          ],
          [
            "/v1beta/models/sandbox:generateContent",
            contents,
            { "x-goog-api-key": key },
            { code: "balance_reserved", error: { code: 429, ...limited } }
          ]
        ] as const) {
          const answer = yield* askServed(path, body, headers)
          expect([answer.status, answer.headers["retry-after"], answer.headers["x-should-retry"]]).toEqual([
            429,
            "5",
            undefined
          ])
          expect(answer.json()).toMatchObject(shape)
        }
        // More than the account has is refused for good, whatever is reserved.
        const large = chat.replace("1000", "2000")
        const refused = yield* askServed("/v1/chat/completions", large, { authorization: `Bearer ${key}` })
        expect([refused.status, refused.headers["x-should-retry"]]).toEqual([402, "false"])
        expect(refused.json()).toMatchObject({ error: { code: "insufficient_balance" } })
        yield* upstream.answer(completion(10, 20))
        expect((yield* Fiber.join(first)).status).toBe(200)
        expect(upstream.received).toHaveLength(1)
      }).pipe(Effect.provide(servedTo(chatAt(upstream.port), { waitMillis: 100 })))
    }).pipe(Effect.scoped)
  )

  it.live("is told that the gateway stops, and that nothing was executed", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      let endWaits = (): void => {}
      let waitingCalls = (): number => 0
      const listener: CommitListener = {
        committed: () => {},
        checkpointed: () => {},
        journalIs: () => {},
        waitingIs: (calls) => void (waitingCalls = calls)
      }
      const onStopping = (run: () => void): void => void (endWaits = run)
      yield* Effect.gen(function* () {
        yield* oneAtATime
        const scope = yield* Scope.make()
        const onShutdown = () => endWaits()
        const served = yield* Layer.buildWithScope(Served.layer({ shutdownDeadline: long, onShutdown }), scope)
        const first = yield* Effect.forkChild(Effect.provideContext(ask, served))
        yield* upstream.arrived(1)
        const client = yield* wire(Context.get(served, Served).port)
        client.send(request("POST /v1/chat/completions", [], chat))
        yield* until(() => waitingCalls() === 1)
        const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        const [answer] = yield* client.closed
        expect([answer?.status, answer?.headers["x-should-retry"]]).toEqual([503, undefined])
        expect(JSON.parse(answer?.body ?? "")).toMatchObject({ error: { code: "shutting_down" } })
        // The call that was sent has until the deadline to end.
        yield* upstream.answer(completion(10, 20))
        expect((yield* Fiber.join(first)).status).toBe(200)
        yield* Fiber.join(closed)
        expect(upstream.received).toHaveLength(1)
        expect((yield* calls).map(({ state }) => state)).toEqual(["settled"])
        expect(yield* reservedTotal).toBe(0)
      }).pipe(
        Effect.provide(gatewayTo(chatAt(upstream.port), { waitMillis: long, onStopping })),
        Effect.provideService(OnCommit, listener)
      )
    }).pipe(Effect.scoped)
  )
})
