import { Client, type Options } from "@tollgate/client/Client"
import * as operations from "@tollgate/client/operations"
import { type Promises, promises } from "@tollgate/client/promises"
import * as Layer from "effect/Layer"
import * as NodeCarrier from "./Carrier.ts"

/** The client over undici, in one line. */
export const layer = (options: Options): Layer.Layer<Client> =>
  Client.layer(options).pipe(Layer.provide(NodeCarrier.layer()))

/** Every operation as a function that returns a promise. */
export const createClient = (options: Options): Promises<typeof operations> => promises(operations, layer(options))
