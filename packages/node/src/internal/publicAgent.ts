import { lookup as systemLookup } from "node:dns"
import type { LookupFunction } from "node:net"
import type { Agent } from "undici"
import { connectOptions, makeAgent, type Options } from "./agent.ts"
import { publicOnly } from "./publicOnly.ts"

/** As any other, but that it reaches public addresses alone. */
export const publicAgent = (options: Options, lookup: LookupFunction = systemLookup): Agent =>
  makeAgent(options, publicOnly({ allowH2: false, ...connectOptions(options) }, lookup))
