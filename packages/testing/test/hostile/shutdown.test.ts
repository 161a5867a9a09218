import { afterAll, describe, expect, it } from "@effect/vitest"
import { key, type TestGateway } from "@tollgate/testing"
import type { Options } from "@tollgate/testing/TestGateway"
import { askServed } from "@tollgate/testing/hostile/askServed"
import { completion, pausedUpstream, until } from "@tollgate/testing/hostile/pausedUpstream"
import { gatewayTo, providerAt, Served } from "@tollgate/testing/hostile/Served"
import { request } from "@tollgate/testing/hardening/requests"
import { wire } from "@tollgate/testing/hardening/wire"
import { calls } from "@tollgate/testing/models"
import { temporaryFiles } from "@tollgate/testing/store/temporaryFiles"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { DatabaseSync } from "node:sqlite"

const files = temporaryFiles()
afterAll(files.remove)

/** A gateway whose time for stopping is over at once. `stop` ends when it has stopped. */
const stoppable = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(Served.layer({ shutdownDeadline: 0 }), scope)
  return {
    served: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, context),
    stop: Scope.close(scope, Exit.void)
  }
})

const chatAt = (port: number, connections?: number) => ({
  "chat.completions": providerAt(port, { protocol: "openai", ...(connections === undefined ? {} : { connections }) }),
  messages: providerAt(port, { name: "claude", protocol: "anthropic" }),
  "models.generate_content": providerAt(port, { name: "gemini", protocol: "gemini" })
})

const chat = JSON.stringify({ model: "sandbox", max_tokens: 50, messages: [{ role: "user", content: "Why?" }] })
const contents = JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Why?" }] }] })

/** A call of each family, and what its error looks like. */
const families = [
  ["/v1/chat/completions", chat, { authorization: `Bearer ${key}` }, { error: { code: expect.any(String) } }],
  ["/v1/messages", chat, { "x-api-key": key }, { type: "error", request_id: expect.any(String) }],
  [
    "/v1beta/models/sandbox:generateContent",
    contents,
    { "x-goog-api-key": key },
    { error: { code: expect.any(Number), status: "UNAVAILABLE" } }
  ]
] as const

interface Setting extends Effect.Success<typeof stoppable> {
  readonly upstream: Effect.Success<typeof pausedUpstream>
}

/** A stoppable gateway, and the upstream that its calls go to. */
const stopping = <A, E>(
  test: (setting: Setting) => Effect.Effect<A, E, TestGateway | Scope.Scope>,
  { connections, ...options }: Options & { readonly connections?: number } = {}
) =>
  Effect.gen(function* () {
    const upstream = yield* pausedUpstream
    return yield* Effect.flatMap(stoppable, (gateway) => test({ upstream, ...gateway })).pipe(
      Effect.provide(gatewayTo(chatAt(upstream.port, connections), options))
    )
  }).pipe(Effect.scoped)

describe("what is cut when the time for stopping is over", () => {
  it.live.each(families)(
    "%s: tells its caller in its family's shape, and not to try again",
    ([path, body, headers, shape]) =>
      stopping(({ served, stop, upstream }) =>
        Effect.gen(function* () {
          const caller = yield* Effect.forkChild(served(askServed(path, body, headers)))
          yield* upstream.arrived(1)
          yield* stop
          const answer = yield* Fiber.join(caller)
          expect([answer.status >= 500, answer.complete, answer.headers["x-should-retry"]]).toEqual([
            true,
            true,
            "false"
          ])
          expect(answer.headers["x-request-id"]).toMatch(/^req_/)
          expect(answer.json()).toMatchObject(shape)
          expect((yield* calls).map(({ state }) => state)).toEqual(["unknown"])
        })
      )
  )

  it.live("a caller who is still sending gets 503 shutting_down, and nothing was executed", () =>
    stopping(({ served, stop, upstream }) =>
      Effect.gen(function* () {
        const { port } = yield* served(Served)
        const client = yield* wire(port)
        const text = request("POST /v1/chat/completions", [], `${chat}${" ".repeat(100_000)}`)
        client.send(text.slice(0, -1))
        yield* until(() => client.socket.bytesWritten === text.length - 1)
        // Answered in order, so the request above has been accepted.
        yield* served(askServed("/v1/nothing", "{}"))
        yield* stop
        const [answer] = yield* client.closed
        expect([answer?.status, answer?.headers["x-should-retry"]]).toEqual([503, undefined])
        expect(answer?.headers["x-request-id"]).toMatch(/^req_/)
        expect(JSON.parse(answer?.body ?? "")).toMatchObject({ error: { code: "shutting_down" } })
        expect([upstream.received.length, (yield* calls).length]).toEqual([0, 0])
      })
    )
  )

  it.live("a call that waits for a connection to its upstream is released: nothing was sent", () =>
    stopping(
      ({ served, stop, upstream }) =>
        Effect.gen(function* () {
          const callers = yield* Effect.forEach([1, 2], () =>
            Effect.forkChild(served(askServed("/v1/chat/completions", chat)))
          )
          yield* upstream.arrived(1)
          while ((yield* calls).length < 2) yield* Effect.sleep("2 millis")
          yield* stop
          const answers = yield* Effect.forEach(callers, Fiber.join)
          const codes = answers.map((answer) => (answer.json() as { error: { code: string } }).error.code)
          expect(codes.toSorted()).toEqual(["upstream_failed", "upstream_unreachable"])
          expect(upstream.received).toHaveLength(1)
          expect((yield* calls).map(({ state }) => state).toSorted()).toEqual(["released", "unknown"])
        }),
      { connections: 1 }
    )
  )

  it.live("a call whose charge cannot be recorded gets 503 gateway_stopped, and the word not to try again", () => {
    const filename = files.next()
    return stopping(
      ({ served, stop, upstream }) =>
        Effect.gen(function* () {
          const caller = yield* Effect.forkChild(served(askServed("/v1/chat/completions", chat)))
          yield* upstream.arrived(1)
          const other = new DatabaseSync(filename)
          other.exec("BEGIN IMMEDIATE")
          yield* upstream.answer(completion(10, 20))
          yield* stop
          const answer = yield* Fiber.join(caller)
          other.close()
          expect([answer.status, answer.complete, answer.headers["x-should-retry"]]).toEqual([503, true, "false"])
          expect(answer.headers["x-request-id"]).toMatch(/^req_/)
          expect(answer.json()).toMatchObject({ error: { code: "gateway_stopped" } })
        }),
      { filename }
    )
  })
})
