import { checkNames, Client, type Options } from "@tollgate/client/Client"
import * as FetchCarrier from "@tollgate/client/FetchCarrier"
import { clientOf, type PromiseClient } from "@tollgate/client/promises/createClient"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Dispatcher } from "undici"
import * as NodeCarrier from "./Carrier.ts"

/** A dispatcher of undici, of the program's own version. */
export interface AnyDispatcher {
  readonly dispatch: (options: never, handler: never) => boolean
}

/** How requests are sent. Only one of them is used: `fetch`, else `dispatcher`, else undici with `proxy`. */
interface TransportOptions extends FetchCarrier.FetchOptions, NodeCarrier.ProxyOptions {
  /** A dispatcher of undici, such as an agent with certificates of its own. It is not closed. It must not send anything again. */
  readonly dispatcher?: AnyDispatcher | undefined
}

export interface NodeOptions extends Options, TransportOptions {}

/** Bun has a fetch that takes a proxy, and uses those of the environment by itself. */
const carrierOnBun = ({ dispatcher, proxy }: TransportOptions): Layer.Layer<Carrier> => {
  if (dispatcher !== undefined) throw new TypeError("Bun has no dispatchers of undici: pass `proxy` or `fetch` instead")
  if (proxy === undefined) return FetchCarrier.layer
  return FetchCarrier.layerWith({ fetch: (url, init: object) => fetch(url, { ...init, proxy } as RequestInit) })
}

const carrierOf = (options: TransportOptions): Layer.Layer<Carrier> => {
  const { dispatcher, fetch, proxy } = options
  if (fetch !== undefined) return FetchCarrier.layerWith({ fetch })
  // Where a program imports undici, Bun gives it an outline that sends nothing.
  if ("bun" in process.versions) return carrierOnBun(options)
  return dispatcher === undefined
    ? NodeCarrier.layer({ proxy })
    : Layer.succeed(
        Carrier,
        NodeCarrier.make(() => dispatcher as Dispatcher)
      )
}

/** Without those of the transport. */
const clientOptions = ({ dispatcher: _, fetch: _fetch, proxy: _proxy, ...options }: NodeOptions): Options => options

const carried = (options: NodeOptions): Layer.Layer<Client> =>
  Client.layer(clientOptions(options)).pipe(Layer.provide(carrierOf(options)))

/** With the log that `TOLLGATE_LOG` asks for. It is loaded only then. */
const logged = (options: NodeOptions, bodies: boolean): Layer.Layer<Client> =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@tollgate/client/log")),
      ({ log }) => carried({ ...options, log: log({ bodies }) })
    )
  )

/** The client over undici. `TOLLGATE_LOG=debug` writes what each call does to standard error, `bodies` also what is said. */
export const layer = (options: NodeOptions = {}): Layer.Layer<Client> => {
  checkNames(options, ["fetch", "dispatcher", "proxy"])
  const asked = process.env["TOLLGATE_LOG"]
  const isLogged = options.log === undefined && (asked === "debug" || asked === "bodies")
  return isLogged ? logged(options, asked === "bodies") : carried(options)
}

/** The client for programs without Effect: promises, and async iterables for streams. */
export const createClient = (options: NodeOptions = {}): PromiseClient =>
  clientOf(layer(options), clientOptions(options))
