import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici"

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

type Head = (this: object, status: number, ...rest: ReadonlyArray<unknown>) => number
interface Parser {
  onHeadersComplete: Head
}

const patched = new WeakSet<object>()

const propertyOf = (object: object, name: string): unknown => {
  const symbol = Object.getOwnPropertySymbols(object).find(({ description }) => description === name)
  return symbol === undefined ? undefined : Reflect.get(object, symbol)
}

const isParser = (value: unknown): value is Parser =>
  typeof value === "object" && value !== null && "onHeadersComplete" in value

/**
 * undici skips every informational answer but 100, for which it breaks the connection. Some servers send that one unasked, so
 * it is handed to undici's parser as another one. There is no setting for it, so this reaches for the parser of the first
 * connection; the version of undici is pinned, and a test with a bare upstream tells if that ends.
 */
export const skipContinue = (_: URL, targets: ReadonlyArray<Dispatcher>): void => {
  const client = targets.at(-1)
  const socket = client === undefined ? undefined : propertyOf(client, "socket")
  const parser = typeof socket === "object" && socket !== null ? propertyOf(socket, "parser") : undefined
  if (!isParser(parser)) return
  const prototype: unknown = Object.getPrototypeOf(parser)
  if (!isParser(prototype) || patched.has(prototype)) return
  patched.add(prototype)
  const { onHeadersComplete } = prototype
  prototype.onHeadersComplete = function (status, ...rest) {
    return onHeadersComplete.call(this, status === 100 ? 102 : status, ...rest)
  }
}

export interface Options {
  /** Open connections per origin; 0 for no limit. Default 256. */
  readonly connections?: number | undefined
  /** Time to connect, TLS included, in milliseconds. Default 10 seconds. */
  readonly connectTimeout?: number | undefined
  /** How long an idle connection is kept open, in milliseconds. Default 10 seconds. */
  readonly keepAliveTimeout?: number | undefined
  /** Reading a longer response fails. Default: no limit. */
  readonly maxResponseBytes?: number | undefined
  /** CA certificates to trust instead of Node's, as PEM. */
  readonly ca?: string | undefined
}

const tenSeconds = 10_000

export const connectOptions = (options: Options) => ({
  timeout: options.connectTimeout ?? tenSeconds,
  ...(options.ca === undefined ? {} : { ca: options.ca })
})

/** There are no timeouts for responses: each request brings its own deadline. */
export const poolOptions = (options: Options) => ({
  connections: options.connections ?? 256,
  // With pipelining or HTTP/2, undici may resend a request that the peer has already received.
  pipelining: 1,
  allowH2: false,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: options.keepAliveTimeout ?? tenSeconds,
  maxResponseSize: options.maxResponseBytes ?? -1
})

export const makeAgent = (options: Options, connect: Agent.Options["connect"] = connectOptions(options)): Agent =>
  new Agent({ ...poolOptions(options), connect }).on("connect", skipContinue)
