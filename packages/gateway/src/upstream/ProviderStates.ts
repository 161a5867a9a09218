import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Bucket } from "../limits/Bucket.ts"
import { Breaker } from "./Breaker.ts"
import { Connections } from "./Connections.ts"
import { identityOf } from "./Cloud.ts"
import { CloudAccess } from "./cloud/CloudAccess.ts"
import { SessionKeeper } from "./mcp/Session.ts"
import { mcp } from "./mcp/protocol.ts"
import type { Provider } from "./Provider.ts"

export interface ProviderState {
  /** Missing where the provider has none. */
  readonly breaker: Breaker | undefined
  /** Missing where the operator sets no limit. */
  readonly quota: Bucket | undefined
  readonly connections: Connections
  /** Missing where the provider is no MCP server. */
  readonly sessions: SessionKeeper | undefined
  /** Missing where the provider is in no cloud. */
  readonly cloud: CloudAccess | undefined
}

/** The time to connect, which the deadline does not include. */
const connectMillis = 10_000

/** Told when a provider's breaker opens, and when it is closed again. */
export type OnUpstreamChange = (name: string, isUp: boolean) => void

export const OnUpstreamChange = Context.Reference<OnUpstreamChange | undefined>("@tollgate/gateway/OnUpstreamChange", {
  defaultValue: () => undefined
})

const stateOf = (provider: Provider, onChange: OnUpstreamChange | undefined): ProviderState => {
  const { breaker, cloud, connections, deadlineMillis, name, protocol, rpm } = provider
  return {
    breaker: breaker
      ? new Breaker(deadlineMillis + connectMillis, onChange && ((isUp) => onChange(name, isUp)))
      : undefined,
    quota: rpm === undefined ? undefined : new Bucket(rpm, 0),
    connections: new Connections(connections),
    sessions: protocol === mcp.id ? new SessionKeeper(provider) : undefined,
    cloud: cloud === undefined ? undefined : new CloudAccess(provider, cloud)
  }
}

/** The settings on which the state depends: if one of them changes, it is another provider. */
const idOf = (provider: Provider): string => {
  const { baseUrl, breaker, cloud, connections, deadlineMillis, name, private: isPrivate, rpm } = provider
  const shared = [name, baseUrl, breaker, connections, deadlineMillis, rpm, ...sessionOf(provider)]
  return JSON.stringify(cloud === undefined ? shared : [...shared, isPrivate, ...identityOf(cloud)])
}

const sessionOf = ({ answerBytes, credential, headers, private: isPrivate, protocol }: Provider) =>
  protocol === mcp.id
    ? [answerBytes, credential?.header, credential && Redacted.value(credential.value), headers, isPrivate]
    : []

/** One state for each provider, however many targets it has. It outlives a configuration reload. */
export class ProviderStates {
  readonly #states = new Map<string, ProviderState>()
  readonly #onChange: OnUpstreamChange | undefined

  constructor(onChange?: OnUpstreamChange) {
    this.#onChange = onChange
  }

  of(provider: Provider): ProviderState {
    const id = idOf(provider)
    const state = this.#states.get(id) ?? stateOf(provider, this.#onChange)
    this.#states.set(id, state)
    return state
  }

  /** Ends the sessions of all other providers, after their last calls. */
  keepSessions(providers: Iterable<Provider>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const kept = new Set([...providers].map(idOf))
      const others = [...this.#states].filter(([id, { sessions }]) => sessions !== undefined && !kept.has(id))
      for (const [id] of others) this.#states.delete(id)
      return Effect.forEach(others, ([, { sessions }]) => sessions?.close ?? Effect.void, {
        concurrency: "unbounded",
        discard: true
      })
    })
  }
}
