import * as Layer from "effect/Layer"
import type { Client } from "../Client.ts"
import { clientOf, type PromiseClient } from "../promises/createClient.ts"
import { type ClientOptions, type GatewayOptions, scriptedGateway, type ScriptedGateway } from "./ScriptedGateway.ts"
import * as VirtualClock from "./VirtualClock.ts"
import * as Random from "effect/Random"

/** Every wait has its average length, so that a test can expect it. */
export const noJitter: Layer.Layer<never> = Layer.succeed(Random.Random, {
  nextDoubleUnsafe: () => 0.5,
  nextIntUnsafe: () => 0
})

interface TestClient {
  /** The same client as from `createClient`. */
  readonly client: PromiseClient
  readonly gateway: ScriptedGateway
  readonly clock: VirtualClock.VirtualClock
  /** The client's layer, for `promises` with your own functions. */
  readonly layer: Layer.Layer<Client>
}

/** For programs without Effect: a client with a scripted gateway and a virtual clock. */
export const testClient = ({ bindings, names, ...options }: GatewayOptions & ClientOptions = {}): TestClient => {
  const gateway = scriptedGateway({
    ...(bindings === undefined ? {} : { bindings }),
    ...(names === undefined ? {} : { names })
  })
  const time = VirtualClock.make()
  const layer = Layer.mergeAll(gateway.layer(options), time.layer, noJitter)
  return { client: clientOf(layer), gateway, clock: time.clock, layer }
}
