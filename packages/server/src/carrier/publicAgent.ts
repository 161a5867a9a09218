import { lookup as systemLookup } from "node:dns"
import type { LookupFunction } from "node:net"
import type { Agent } from "undici"
import { type AgentOptions, connectOptions, makeAgent } from "@tollgate/node/adapter"
import { publicOnly } from "./publicOnly.ts"

/** An agent that connects to public addresses only. */
export const publicAgent = (options: AgentOptions, lookup: LookupFunction = systemLookup): Agent =>
  makeAgent(options, publicOnly({ allowH2: false, ...connectOptions(options) }, lookup))
