import { describe, expect, it } from "@effect/vitest"
import { TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import { calls, reservedTotal } from "@tollgate/testing/models"
import { request, rerank } from "@tollgate/testing/hardening/requests"
import { readers, Target } from "@tollgate/testing/hardening/target"
import { type Wire, wire } from "@tollgate/testing/hardening/wire"

const chat = (more: object, ...headers: ReadonlyArray<string>) =>
  request(
    "POST /v1/chat/completions",
    headers,
    JSON.stringify({ model: "sandbox", messages: [{ role: "user", content: "Why do rivers bend?" }], ...more })
  )

const reached = (client: Wire) =>
  Effect.gen(function* () {
    while (!client.socket.destroyed && client.answers().length === 0) yield* Effect.sleep("2 millis")
  })

const pause = Effect.sleep("20 millis")
/** A call that is sent is carried to its end, so this is how long a stage takes. */
const slow = "X-Tollgate-Scenario: slow; ms=300"

/** Waits until the ledger has this many calls. */
const recorded = (count: number) =>
  Effect.gen(function* () {
    while ((yield* calls).length < count) yield* Effect.sleep("2 millis")
  })

/** The concurrency limit of a free account. */
const places = 5

/** What to send, what to wait for before disconnecting, and whether the call has started by then. */
const stages: Record<
  string,
  readonly [string, (client: Wire) => Effect.Effect<void, never, TestGateway>, begun: boolean]
> = {
  "before anything is sent": ["", () => pause, false],
  "in the head": [chat({}).slice(0, 60), () => pause, false],
  "before the body": [request("POST /v1/chat/completions", ["Content-Length: 10"]), () => pause, false],
  "in the body": [chat({}).slice(0, -5), () => pause, false],
  "in a large body": [
    `${request("POST /v1/chat/completions", ["Content-Length: 1000000"])}${"x".repeat(70_000)}`,
    () => pause,
    false
  ],
  "in a chunk": [`${request("POST /v1/chat/completions", ["Transfer-Encoding: chunked"])}ff\r\n{`, () => pause, false],
  "after being told to go on": [
    request("POST /v1/chat/completions", ["Content-Length: 10", "Expect: 100-continue"]),
    reached,
    false
  ],
  "while the upstream works": [chat({}, slow), () => recorded(places), true],
  "while the upstream works for a stream": [chat({ stream: true }, slow), () => recorded(places), true],
  "when a stream begins": [chat({ stream: true }, "X-Tollgate-Scenario: stall; after=0"), reached, true],
  "while a stream runs": [chat({ stream: true }, "X-Tollgate-Scenario: interval; ms=20"), reached, true],
  "without reading a stream": [
    chat({ stream: true, max_tokens: 20_000 }, "X-Tollgate-Scenario: long; events=20000"),
    ({ socket }) =>
      Effect.gen(function* () {
        socket.pause()
        yield* recorded(places)
        yield* Effect.sleep("100 millis")
      }),
    true
  ]
}

const ways: Record<string, (client: Wire) => void> = {
  "with a reset": ({ socket }) => void socket.resetAndDestroy(),
  "by closing": ({ socket }) => void socket.destroy()
}

const ended = Effect.gen(function* () {
  for (;;) {
    const all = yield* calls
    if (all.every(({ state }) => state !== "open")) return all
    yield* Effect.sleep("5 millis")
  }
})

describe.each(readers)("a caller that disconnects leaves no call open and no concurrency taken, %s", (_, reader) => {
  for (const [stage, [text, wait, begun]] of Object.entries(stages)) {
    for (const [way, leave] of Object.entries(ways)) {
      it.live(`${stage}, ${way}`, () =>
        Effect.gen(function* () {
          const { port } = yield* Target
          const { accounts, account, billingLog } = yield* TestGateway
          yield* accounts.change(account, { rpm: 1000, tpm: 100_000_000 })
          const left = Effect.gen(function* () {
            const client = yield* wire(port)
            client.send(text)
            yield* wait(client)
            leave(client)
          }).pipe(Effect.scoped)
          yield* Effect.forEach(Array.from({ length: places }), () => left, { concurrency: places, discard: true })
          yield* Effect.sleep("50 millis")
          const all = yield* ended
          expect(all).toHaveLength(begun ? places : 0)
          const held = all.filter(({ state }) => state === "unknown")
          expect(yield* reservedTotal).toBe(held.reduce((sum, { reserved }) => sum + reserved, 0))
          for (const { charged, reserved, state } of all) {
            if (state === "unknown") expect(charged).toBe(0)
            expect(charged).toBeLessThanOrEqual(reserved)
          }
          if (!begun) expect(yield* billingLog.count).toBe(0)
          // All concurrency is free again.
          const answers = yield* Effect.forEach(
            Array.from({ length: places }),
            () =>
              Effect.gen(function* () {
                const client = yield* wire(port)
                client.send(chat({}, "X-Tollgate-Scenario: slow; ms=50", "Connection: close"))
                return yield* client.closed
              }).pipe(Effect.scoped),
            { concurrency: places }
          )
          expect(answers.map(([answer]) => answer?.status)).toEqual(Array.from({ length: places }, () => 200))
        }).pipe(Effect.provide(Target.layer(reader, { limits: true })))
      )
    }
  }

  it.live("with three pipelined calls in flight", () =>
    Effect.gen(function* () {
      const { port } = yield* Target
      const client = yield* wire(port)
      client.send(rerank([slow]) + rerank([slow]) + rerank([slow]))
      yield* recorded(3)
      client.socket.resetAndDestroy()
      for (const { charged, state } of yield* ended) {
        expect(state).toBe("settled")
        expect(charged).toBeGreaterThan(0)
      }
    }).pipe(Effect.provide(Target.layer(reader)))
  )
})
