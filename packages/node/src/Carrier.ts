import { Carrier, type Incoming, type NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LookupFunction } from "node:net"
import type { Agent, Dispatcher } from "undici"
import { makeAgent, type Options as ClientOptions } from "./HttpClient.ts"
import { Carriage } from "./internal/carriage.ts"
import { publicAgent } from "./internal/publicAgent.ts"

/** What the answer may take is said with each request. */
export interface Options extends Omit<ClientOptions, "headersTimeout" | "bodyTimeout"> {
  /** How names become addresses, where only public ones are allowed. Default: as the system does. */
  readonly lookup?: LookupFunction | undefined
}

const scoped = (make: () => Agent) =>
  Effect.acquireRelease(Effect.sync(make), (agent) => Effect.promise(() => agent.destroy()))

/** To upstreams over undici. Redirects are answers like any other; nothing is retried. */
export const layer = ({ lookup, ...options }: Options = {}): Layer.Layer<Carrier> =>
  Layer.effect(
    Carrier,
    Effect.gen(function* () {
      const untimed = { ...options, headersTimeout: 0, bodyTimeout: 0 }
      const anywhere = yield* scoped(() => makeAgent(untimed))
      const inPublic = yield* scoped(() => publicAgent(untimed, lookup))
      return {
        carry: (outgoing) =>
          Effect.callback<Incoming, NotCarried>((resume) => {
            const carriage = new Carriage(outgoing, resume)
            ;(outgoing.private === true ? anywhere : inPublic).dispatch(
              {
                origin: outgoing.origin,
                path: outgoing.path,
                method: outgoing.method as Dispatcher.HttpMethod,
                headers: outgoing.headers,
                body: outgoing.body ?? null
              },
              carriage
            )
            return Effect.sync(carriage.abort)
          })
      }
    })
  )
