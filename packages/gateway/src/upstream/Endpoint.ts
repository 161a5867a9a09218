import type { Protocol } from "./Protocol.ts"
import { inCloud } from "./cloud/cloudProtocol.ts"
import { mcp } from "./mcp/protocol.ts"
import { anthropic } from "./protocols/anthropic.ts"
import { converse } from "./protocols/converse.ts"
import { gemini } from "./protocols/gemini.ts"
import { json } from "./protocols/json.ts"
import { openai } from "./protocols/openai.ts"
import { task } from "./protocols/task.ts"
import type { ProviderState, ProviderStates } from "./ProviderStates.ts"
import type { Route, Target } from "./Route.ts"
import { Speed } from "./Speed.ts"
import { type Scrubber, scrubberOf } from "./Scrubber.ts"
import type { UpstreamShape } from "@tollgate/protocols/Conversation"
import { operationOf, translatedTo } from "./speaks.ts"

export const protocols: ReadonlyArray<Protocol> = [json, task, openai, anthropic, gemini, converse, mcp]

export interface Endpoint extends Target, ProviderState {
  readonly protocol: Protocol | undefined
  /** What it is asked in, where that is another protocol than the operation's. */
  readonly shape?: UpstreamShape
  /** Knows the provider's credential. */
  readonly scrubber: Scrubber
  /** Only where the route prefers the fastest. */
  readonly speed?: Speed
}

export const protocolFor = (protocol: Protocol, operation: string): Protocol => {
  const format = protocol.formats?.get(operation)
  return format === undefined ? protocol : { id: protocol.id, ...format }
}

export const endpointsOf = (routes: ReadonlyArray<Route>, states: ProviderStates): ReadonlyArray<Route<Endpoint>> => {
  const known = new Map(protocols.map((protocol) => [protocol.id, protocol]))
  const endpointOf = (target: Target, { operation, prefer }: Route): Endpoint => {
    const { provider } = target
    const protocol = known.get(provider.protocol)
    const shape = translatedTo(provider, operation)
    const asked = shape === undefined ? operation : operationOf(shape).id
    return {
      ...target,
      ...states.of(provider),
      protocol: protocol && inCloud(protocolFor(protocol, asked), provider.cloud),
      ...(shape === undefined ? {} : { shape }),
      scrubber: scrubberOf(provider),
      ...(prefer === "fastest" ? { speed: new Speed() } : {})
    }
  }
  return routes.map((route) => {
    const endpoints = (targets: ReadonlyArray<Target>) => targets.map((target) => endpointOf(target, route))
    return { ...route, to: endpoints(route.to), fallback: endpoints(route.fallback ?? []) }
  })
}
