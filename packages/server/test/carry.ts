import { Carrier, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import { UpstreamCarrier } from "../src/index.ts"

export const get = (origin: string, parts: Partial<Outgoing> = {}): Outgoing => ({
  method: "GET",
  origin,
  path: "/",
  headers: {},
  body: undefined,
  deadlineMillis: 5_000,
  idleMillis: 5_000,
  private: false,
  isStreamed: () => false,
  ...parts
})

export const over = <A, E, R>(
  effect: (carrier: Carrier["Service"]) => Effect.Effect<A, E, R>,
  options: UpstreamCarrier.Options = {}
) => Effect.provide(Carrier.use(effect), UpstreamCarrier.layer(options))
