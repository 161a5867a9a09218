import * as Duration from "effect/Duration"
import { Agent } from "undici"

export interface Options {
  /** Open connections per origin. Default 256. */
  readonly connections?: number | undefined
  /** For the connection, TLS included. Default 10 seconds. */
  readonly connectTimeout?: Duration.Input | undefined
  /** How long an unused connection is kept. Default 10 seconds. */
  readonly keepAliveTimeout?: Duration.Input | undefined
  /** A longer answer fails while it is read. Default: no limit. */
  readonly maxResponseBytes?: number | undefined
  /** Certificates to trust instead of Node's own. */
  readonly ca?: string | undefined
}

const millis = (input: Duration.Input | undefined): number =>
  Duration.toMillis(Duration.fromInputUnsafe(input ?? "10 seconds"))

export const connectOptions = (options: Options) => ({
  timeout: millis(options.connectTimeout),
  ...(options.ca === undefined ? {} : { ca: options.ca })
})

/** What the answer may take is said with each request, so nothing is timed here. */
export const makeAgent = (options: Options, connect: Agent.Options["connect"] = connectOptions(options)): Agent =>
  new Agent({
    connections: options.connections ?? 256,
    // With pipelining or HTTP/2 undici may requeue, and so send again, a request that the peer has seen.
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: millis(options.keepAliveTimeout),
    maxResponseSize: options.maxResponseBytes ?? -1,
    connect
  })
