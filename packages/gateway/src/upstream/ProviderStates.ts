import * as Context from "effect/Context"
import { Bucket } from "../limits/Bucket.ts"
import { Breaker } from "./Breaker.ts"
import { Connections } from "./Connections.ts"
import type { Provider } from "./Provider.ts"

/** What calls to a provider share. */
export interface ProviderState {
  /** Missing where the provider has none. */
  readonly breaker: Breaker | undefined
  /** Missing where the operator sets no limit. */
  readonly quota: Bucket | undefined
  readonly connections: Connections
}

/** The time to connect, which the deadline does not include. */
const connectMillis = 10_000

/** Told when a provider's breaker opens, and when it is closed again. */
export type OnUpstreamChange = (name: string, isUp: boolean) => void

export const OnUpstreamChange = Context.Reference<OnUpstreamChange | undefined>("@tollgate/gateway/OnUpstreamChange", {
  defaultValue: () => undefined
})

const stateOf = (
  { breaker, connections, deadlineMillis, name, rpm }: Provider,
  onChange: OnUpstreamChange | undefined
): ProviderState => ({
  breaker: breaker
    ? new Breaker(deadlineMillis + connectMillis, onChange && ((isUp) => onChange(name, isUp)))
    : undefined,
  quota: rpm === undefined ? undefined : new Bucket(rpm, 0),
  connections: new Connections(connections)
})

/** The settings on which the state depends: if one of them changes, it is another provider. */
const idOf = ({ baseUrl, breaker, connections, deadlineMillis, name, rpm }: Provider): string =>
  JSON.stringify([name, baseUrl, breaker, connections, deadlineMillis, rpm])

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
}
