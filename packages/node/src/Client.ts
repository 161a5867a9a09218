import { Client, type Options } from "@tollgate/client/Client"
import { clientOf, type PromiseClient } from "@tollgate/client/promises/createClient"
import { optionsOf, type PromiseOptions } from "@tollgate/client/promises/options"
import * as Layer from "effect/Layer"
import * as NodeCarrier from "./Carrier.ts"

/** The client over undici, in one line. */
export const layer = (options: Options): Layer.Layer<Client> =>
  Client.layer(options).pipe(Layer.provide(NodeCarrier.layer()))

/** Every function of the client, as promises and as iterables for `for await`: `createClient({ apiKey, baseUrl })`. */
export const createClient = (options: PromiseOptions): PromiseClient => clientOf(layer(optionsOf(options)))
