import { Client, type Options } from "@tollgate/client/Client"
import * as operations from "@tollgate/client/operations"
import { type Promises, promises } from "@tollgate/client/promises"
import { isNotSent } from "@tollgate/contract/Transport"
import * as Layer from "effect/Layer"
import * as NodeHttpClient from "./HttpClient.ts"

/** The client over undici, in one line. */
export const layer = (options: Options): Layer.Layer<Client> =>
  Client.layer(options).pipe(
    Layer.provide(NodeHttpClient.layer()),
    Layer.provide(Layer.succeed(isNotSent, NodeHttpClient.isNotSent))
  )

/** Every operation as a function that returns a promise. */
export const createClient = (options: Options): Promises<typeof operations> => promises(operations, layer(options))
