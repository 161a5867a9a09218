import * as Duration from "effect/Duration"
import { lookup as systemLookup } from "node:dns"
import type { LookupFunction } from "node:net"
import { Agent } from "undici"
import type { Options } from "../HttpClient.ts"
import { publicOnly } from "./publicOnly.ts"

const millis = (input: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(input))

/** As any other, but that it reaches public addresses alone. */
export const publicAgent = (options: Options, lookup: LookupFunction = systemLookup): Agent =>
  new Agent({
    connections: options.connections ?? 256,
    pipelining: 1,
    allowH2: false,
    headersTimeout: millis(options.headersTimeout ?? "5 minutes"),
    bodyTimeout: millis(options.bodyTimeout ?? "5 minutes"),
    keepAliveTimeout: millis(options.keepAliveTimeout ?? "10 seconds"),
    maxResponseSize: options.maxResponseBytes ?? -1,
    connect: publicOnly(
      {
        allowH2: false,
        timeout: millis(options.connectTimeout ?? "10 seconds"),
        ...(options.ca === undefined ? {} : { ca: options.ca })
      },
      lookup
    )
  })
