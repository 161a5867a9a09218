import { Client, type Options } from "@tollgate/client/Client"
import { clientOf, type PromiseClient } from "@tollgate/client/promises/createClient"
import * as Layer from "effect/Layer"
import * as NodeCarrier from "./Carrier.ts"

/** The client over undici. */
export const layer = (options: Options = {}): Layer.Layer<Client> =>
  Client.layer(options).pipe(Layer.provide(NodeCarrier.layer()))

/** The client for programs without Effect: promises, and async iterables for streams. */
export const createClient = (options: Options = {}): PromiseClient => clientOf(layer(options), options)
