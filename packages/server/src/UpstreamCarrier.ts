import { isPrivate } from "@tollgate/gateway/driver"
import { isIP, type LookupFunction } from "node:net"
import { type Agent, buildConnector } from "undici"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { type AgentOptions, connectOptions, makeAgent, makeCarrier, scopedAgent } from "@tollgate/node/adapter"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lookup as systemLookup } from "node:dns"

const forbidden = (): NodeJS.ErrnoException => Object.assign(new Error("not a public address"), { code: "EACCES" })

/** Resolves a name to its public addresses. The connection uses these very addresses, so DNS rebinding cannot change them. */
const publicAddresses =
  (lookup: LookupFunction): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      const allowed = Array.isArray(found) ? found.filter(({ address }) => !isPrivate(address)) : []
      const [first] = allowed
      if (first === undefined) return callback(forbidden(), [])
      if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })

/** Connects to public addresses only. A literal address is never resolved, so it is checked here. */
export const publicOnly = (
  options: Pick<buildConnector.BuildOptions, "timeout" | "allowH2"> & { readonly ca?: string },
  lookup: LookupFunction
): buildConnector.connector => {
  const connect = buildConnector({ ...options, lookup: publicAddresses(lookup) })
  return (to, callback) => {
    const host = to.hostname.replace(/^\[(.*)\]$/, "$1")
    if (isIP(host) !== 0 && isPrivate(host)) callback(forbidden(), null)
    else connect(to, callback)
  }
}

const publicAgent = (options: AgentOptions, lookup: LookupFunction = systemLookup): Agent =>
  makeAgent(options, publicOnly({ allowH2: false, ...connectOptions(options) }, lookup))

export interface Options extends AgentOptions {
  /** Resolves host names for requests to public addresses. Default: the system's resolver. */
  readonly lookup?: LookupFunction | undefined
}

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
