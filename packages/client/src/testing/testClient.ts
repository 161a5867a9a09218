import * as Layer from "effect/Layer"
import type { Client } from "../Client.ts"
import { clientOf, type PromiseClient } from "../promises/createClient.ts"
import { noJitter } from "./noJitter.ts"
import { type ClientOptions, type GatewayOptions, type ScriptedGateway, scriptedGateway } from "./ScriptedGateway.ts"
import * as VirtualClock from "./VirtualClock.ts"

interface TestClient {
  /** As `createClient` makes it. */
  readonly client: PromiseClient
  readonly gateway: ScriptedGateway
  readonly clock: VirtualClock.VirtualClock
  /** What the client stands on, for `promises` with functions of one's own. */
  readonly layer: Layer.Layer<Client>
}

/** For programs without Effect: a client on a gateway of the test's, and on its time. */
export const testClient = ({ bindings, names, ...options }: GatewayOptions & ClientOptions = {}): TestClient => {
  const gateway = scriptedGateway({
    ...(bindings === undefined ? {} : { bindings }),
    ...(names === undefined ? {} : { names })
  })
  const time = VirtualClock.make()
  const layer = Layer.mergeAll(gateway.layer(options), time.layer, noJitter)
  return { client: clientOf(layer), gateway, clock: time.clock, layer }
}
