import { describe, expect, it } from "vitest"
import { health } from "../../src/endpoints/admin/upstreams.ts"
import { ProviderStates } from "../../src/upstream/ProviderStates.ts"
import { type FixedProvider, routesTo } from "../../src/upstream/Route.ts"

const now = 1_000_000

const watched = (provider: Partial<FixedProvider> = {}) => {
  const routes = routesTo({
    rerank: { name: "one", baseUrl: "https://one.example.com", protocol: "json", deadlineMillis: 1_000, ...provider }
  })
  const states = new ProviderStates()
  const state = states.of(routes[0]!.to[0]!.provider)
  return { state, shown: (at = now) => health({ routes, states }, at)[0] }
}

describe("the health of an upstream", () => {
  it("a breaker is closed, then open with its cause and end, then lets one call at a time through", () => {
    const { shown, state } = watched()
    expect(shown()).toMatchObject({ breaker: "closed", cause: null, retry_at: null })
    for (let i = 0; i < 5; i++) state.breaker?.failed(state.breaker.state, "a", "unreached", now)
    const cause = "No connection can be made."
    expect(shown()).toMatchObject({ breaker: "open", cause, retry_at: new Date(now + 5_000).toISOString() })
    expect(shown(now + 4_999)).toMatchObject({ breaker: "open" })
    expect(shown(now + 5_000)).toMatchObject({ breaker: "probing", cause, retry_at: null })
    state.breaker?.probe("a", now + 5_000)
    expect(shown(now + 5_001)).toMatchObject({ breaker: "probing" })
    state.breaker?.succeeded(state.breaker.state, "a")
    expect(shown(now + 5_002)).toMatchObject({ breaker: "closed", cause: null })
  })

  it("a clock that was set back does not show a pause of days", () => {
    const { shown, state } = watched()
    for (let i = 0; i < 5; i++) state.breaker?.failed(state.breaker.state, "a", "unreached", now)
    expect(shown(now - 86_400_000)).toMatchObject({ breaker: "probing", retry_at: null })
  })

  it("failures of several accounts are another cause; without a breaker it is off", () => {
    const { shown, state } = watched()
    for (let i = 0; i < 12; i++) state.breaker?.failed(state.breaker.state, i % 2 === 0 ? "a" : "b", "failed", now)
    expect(shown()).toMatchObject({ breaker: "open", cause: "Calls of several accounts failed." })
    expect(watched({ breaker: false }).shown()).toMatchObject({ breaker: "off", cause: null, retry_at: null })
  })

  it("shows connections in use, calls that wait, and what is left of the requests per minute", () => {
    const { shown, state } = watched({ connections: 2, rpm: 60 })
    const slots = ["a", "a", "b"].map((key) => state.connections.enter(key))
    state.quota?.refill(60, now)
    state.quota?.take(5)
    expect(shown()).toMatchObject({
      connections: { limit: 2, busy: 2, waiting: 1 },
      rpm: { limit: 60, remaining: 55 }
    })
    expect(shown(now + 60_000)).toMatchObject({ rpm: { limit: 60, remaining: 60 } })
    for (const slot of slots) slot?.end()
    expect(shown()).toMatchObject({ connections: { limit: 2, busy: 0, waiting: 0 } })
  })

  it("never shows what an address could hold of a credential", () => {
    const credential = "s3cret"
    for (const [baseUrl, expected] of [
      [`https://user:${credential}@one.example.com/v1`, "https://one.example.com/v1"],
      [`https://${credential}@one.example.com`, "https://one.example.com"],
      [`https://a:b@${credential}@one.example.com/x`, "https://one.example.com/x"],
      [`https://one.example.com/v1?key=${credential}`, "https://one.example.com/v1"],
      [`https://one.example.com/v1#${credential}`, "https://one.example.com/v1"],
      [`https://one.example.com?a=b@c&key=${credential}`, "https://one.example.com"],
      ["https://one.example.com/@team/v1", "https://one.example.com/@team/v1"]
    ] as const) {
      expect(watched({ baseUrl }).shown()?.base_url, baseUrl).toBe(expected)
    }
  })
})
