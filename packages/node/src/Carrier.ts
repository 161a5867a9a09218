import { Carrier, type Incoming, type NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Dispatcher, EnvHttpProxyAgent, Pool } from "undici"
import { type Options, connectOptions, makeAgent, poolOptions } from "./carrier/agent.ts"
import { DispatchHandler } from "./carrier/dispatchHandler.ts"

/** As in curl and undici, the name in lower case wins. */
const variable = (name: string): string => process.env[name.toLowerCase()] ?? process.env[name] ?? ""

/** A proxy cannot reach this machine's own addresses. */
const local = "localhost,127.0.0.1,[::1]"

const noProxy = (): string => {
  const named = variable("NO_PROXY").trim()
  return named === "*" ? named : `${named},${local}`
}

/** After a socket error of its own, undici would connect again and again, and no request would ever fail. */
const failing = (options: Pool.Options): Pool.Options => {
  const { connect } = options
  if (typeof connect !== "function") return options
  return {
    ...options,
    connect: (to, callback) =>
      connect(to, (...[error, socket]) =>
        error === null
          ? callback(null, socket)
          : callback(new Error(`The proxy did not connect: ${error.message}`, { cause: error }), null)
      )
  }
}

/**
 * Uses the proxies that `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name, if there are any. A request passes through a tunnel,
 * so one that the proxy refuses was never sent.
 */
const makeProxied = (options: Options, proxy: string | undefined): Dispatcher => {
  if (proxy === undefined && variable("HTTP_PROXY") === "" && variable("HTTPS_PROXY") === "") return makeAgent(options)
  const connect = connectOptions(options)
  return new EnvHttpProxyAgent({
    ...poolOptions(options),
    connect,
    requestTls: connect,
    proxyTls: connect,
    ...(proxy === undefined ? { noProxy: noProxy() } : { httpProxy: proxy, httpsProxy: proxy, noProxy: "" }),
    factory: (origin, options) => new Pool(origin, failing(options)),
    clientFactory: (origin, others) => new Pool(origin, { ...others, headersTimeout: connect.timeout })
  })
}

export type { Options }

export interface ProxyOptions {
  /** The address of a proxy for all requests, instead of those of the environment. */
  readonly proxy?: string | undefined
}

/** A carrier over undici. `agentFor` picks the connection pool for a request. */
export const make = (agentFor: (outgoing: Outgoing) => Dispatcher): Carrier["Service"] => ({
  carry: (outgoing) =>
    Effect.callback<Incoming, NotCarried>((resume) => {
      const handler = new DispatchHandler(outgoing, resume)
      agentFor(outgoing).dispatch(
        {
          origin: outgoing.origin,
          path: outgoing.path,
          method: outgoing.method as Dispatcher.HttpMethod,
          headers: outgoing.headers,
          body: outgoing.body ?? null
        },
        handler
      )
      return Effect.sync(handler.abort)
    })
})

/** Closes the agent and its connections with the scope. */
export const scopedAgent = <A extends Dispatcher>(make: () => A) =>
  Effect.acquireRelease(Effect.sync(make), (agent) => Effect.promise(() => agent.destroy()))

/** A carrier over undici, for one gateway, through the environment's proxies. Follows no redirects and retries nothing. */
export const layer = ({ proxy, ...options }: Options & ProxyOptions = {}): Layer.Layer<Carrier> =>
  Layer.effect(
    Carrier,
    Effect.map(
      scopedAgent(() => makeProxied(options, proxy)),
      (agent) => make(() => agent)
    )
  )
