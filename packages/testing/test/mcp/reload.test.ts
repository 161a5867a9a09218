import { describe, expect, it } from "@effect/vitest"
import { Carrier, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Utf8 from "@tollgate/contract/Utf8"
import { SessionKeeper } from "@tollgate/gateway/upstream/mcp/Session"
import { ProviderStates } from "@tollgate/gateway/upstream/ProviderStates"
import { providerAt } from "@tollgate/testing/upstream"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"

/** A server that begins sessions and knows which are open. */
const sessionServer = () => {
  const open = new Set<string>()
  const carry: Carrier["Service"]["carry"] = ({ body, headers, method }: Outgoing) => {
    const answer = (status: number, result?: object, more: Record<string, string> = {}) =>
      Effect.succeed({
        status,
        headers: { "content-type": "application/json", ...more },
        body: Utf8.encode(result === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", ...result }))
      })
    if (method === "DELETE") {
      open.delete(headers["mcp-session-id"] ?? "")
      return answer(200)
    }
    const { id, method: asked } = JSON.parse(Utf8.decode(body ?? new Uint8Array(0))) as { id?: number; method: string }
    if (asked === "server/discover") return answer(400)
    if (asked === "tools/list") return answer(200, { id, result: { tools: [] } })
    if (id === undefined) return answer(202)
    const session = `s${open.size + 1}`
    open.add(session)
    const serverInfo = { name: "s", version: "1" }
    const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo }
    return answer(200, { id, result }, { "mcp-session-id": session })
  }
  return { open, carry }
}

const provider = { ...providerAt(1), protocol: "mcp", name: "tools", baseUrl: "http://127.0.0.1:1/mcp" }

const keeperOf = (states: ProviderStates, of = provider): SessionKeeper => {
  const { sessions } = states.of(of)
  if (sessions === undefined) throw new Error("no sessions")
  return sessions
}

describe("a reload of the configuration", () => {
  it.effect("keeps the session of a provider that stays, and ends that of one that is gone after its last call", () =>
    Effect.gen(function* () {
      const { carry, open } = sessionServer()
      const states = new ProviderStates()
      const sessions = keeperOf(states)
      const used = sessions.use(carry, () => Effect.void)
      yield* used
      yield* states.keepSessions([provider])
      expect(keeperOf(states)).toBe(sessions)
      yield* used
      expect(open.size).toBe(1)

      const end = yield* Deferred.make<void>()
      const call = yield* Effect.forkChild(sessions.use(carry, () => Deferred.await(end)))
      yield* Effect.yieldNow
      yield* states.keepSessions([])
      expect(open.size).toBe(1)
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(call)
      expect(open.size).toBe(0)
    })
  )

  it.effect("begins another session with another credential", () =>
    Effect.gen(function* () {
      const { carry, open } = sessionServer()
      const states = new ProviderStates()
      yield* keeperOf(states).use(carry, () => Effect.void)
      const renewed = { ...provider, credential: { header: "authorization", value: Redacted.make("Bearer new") } }
      yield* keeperOf(states, renewed).use(carry, () => Effect.void)
      expect(open.size).toBe(2)
      yield* states.keepSessions([renewed])
      expect([...open]).toEqual(["s2"])
    })
  )
})
