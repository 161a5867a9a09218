import * as Duration from "effect/Duration"
import { Agent } from "undici"
import { skipContinue } from "./skipContinue.ts"

export interface Options {
  /** Open connections per origin; 0 for no limit. Default 256. */
  readonly connections?: number | undefined
  /** Time to connect, TLS included. Default 10 seconds. */
  readonly connectTimeout?: Duration.Input | undefined
  /** How long an idle connection is kept open. Default 10 seconds. */
  readonly keepAliveTimeout?: Duration.Input | undefined
  /** Reading a longer response fails. Default: no limit. */
  readonly maxResponseBytes?: number | undefined
  /** CA certificates to trust instead of Node's, as PEM. */
  readonly ca?: string | undefined
}

const millis = (input: Duration.Input | undefined): number =>
  Duration.toMillis(Duration.fromInputUnsafe(input ?? "10 seconds"))

export const connectOptions = (options: Options) => ({
  timeout: millis(options.connectTimeout),
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
  keepAliveTimeout: millis(options.keepAliveTimeout),
  maxResponseSize: options.maxResponseBytes ?? -1
})

export const makeAgent = (options: Options, connect: Agent.Options["connect"] = connectOptions(options)): Agent =>
  new Agent({ ...poolOptions(options), connect }).on("connect", skipContinue)
