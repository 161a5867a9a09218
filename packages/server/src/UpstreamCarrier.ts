import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { type AgentOptions, connectOptions, makeAgent, makeCarrier, scopedAgent } from "@tollgate/node/adapter"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lookup as systemLookup } from "node:dns"
import type { LookupFunction } from "node:net"
import type { Agent } from "undici"
import { publicOnly } from "./carrier/publicOnly.ts"

/** An agent that connects to public addresses only. */
const publicAgent = (options: AgentOptions, lookup: LookupFunction = systemLookup): Agent =>
  makeAgent(options, publicOnly({ allowH2: false, ...connectOptions(options) }, lookup))

export interface Options extends AgentOptions {
  /** Resolves host names for requests to public addresses. Default: the system's resolver. */
  readonly lookup?: LookupFunction | undefined
}

/** The connections to all upstreams. */
export class UpstreamConnections extends Context.Service<
  UpstreamConnections,
  {
    /** Ends every call that is under way, for a shutdown whose time is up. None can be made afterwards. */
    readonly close: Effect.Effect<void>
  }
>()("@tollgate/server/UpstreamConnections") {}

/** Without a limit of its own the agent has no queue. The gateway limits the calls to each upstream, and queues them. */
const unlimited = 0

/** A carrier over undici, for upstreams. Only a request marked `private` may reach a private address. */
export const layer = ({ connections = unlimited, lookup, ...rest }: Options = {}): Layer.Layer<
  Carrier | UpstreamConnections
> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const options = { ...rest, connections }
      const anyAddress = yield* scopedAgent(() => makeAgent(options))
      const publicAddress = yield* scopedAgent(() => publicAgent(options, lookup))
      const carrier = makeCarrier((outgoing) => (outgoing.private === true ? anyAddress : publicAddress))
      const close = Effect.promise(() => Promise.all([anyAddress.destroy(), publicAddress.destroy()]))
      return Context.add(Context.make(Carrier, carrier), UpstreamConnections, { close: Effect.asVoid(close) })
    })
  )
