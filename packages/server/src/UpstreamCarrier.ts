import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { type AgentOptions, makeAgent, makeCarrier, scopedAgent } from "@tollgate/node/adapter"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LookupFunction } from "node:net"
import { publicAgent } from "./carrier/publicAgent.ts"

export interface Options extends AgentOptions {
  /** How a host name becomes addresses, for requests that may only reach public ones. Default: the system's resolver. */
  readonly lookup?: LookupFunction | undefined
}

/** To upstreams over undici. A request that is not marked `private` reaches public addresses only. */
export const layer = ({ lookup, ...options }: Options = {}): Layer.Layer<Carrier> =>
  Layer.effect(
    Carrier,
    Effect.gen(function* () {
      const anyAddress = yield* scopedAgent(() => makeAgent(options))
      const publicAddress = yield* scopedAgent(() => publicAgent(options, lookup))
      return makeCarrier((outgoing) => (outgoing.private === true ? anyAddress : publicAddress))
    })
  )
