import { type Dispatcher, EnvHttpProxyAgent, Pool } from "undici"
import { connectOptions, makeAgent, type Options, poolOptions } from "./agent.ts"

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
export const makeProxied = (options: Options, proxy: string | undefined): Dispatcher => {
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
