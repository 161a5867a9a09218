import { Client, type Options } from "@tollgate/client/Client"
import { clientOf, type PromiseClient } from "@tollgate/client/promises/createClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeCarrier from "./Carrier.ts"

const carried = (options: Options): Layer.Layer<Client> =>
  Client.layer(options).pipe(Layer.provide(NodeCarrier.layer()))

/** With the log that `TOLLGATE_LOG` asks for. It is loaded only then. */
const logged = (options: Options, bodies: boolean): Layer.Layer<Client> =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@tollgate/client/log")),
      ({ log }) => carried({ ...options, log: log({ bodies }) })
    )
  )

/** The client over undici. `TOLLGATE_LOG=debug` writes what each call does to standard error, `bodies` also what is said. */
export const layer = (options: Options = {}): Layer.Layer<Client> => {
  const asked = process.env["TOLLGATE_LOG"]
  const isLogged = options.log === undefined && (asked === "debug" || asked === "bodies")
  return isLogged ? logged(options, asked === "bodies") : carried(options)
}

/** The client for programs without Effect: promises, and async iterables for streams. */
export const createClient = (options: Options = {}): PromiseClient => clientOf(layer(options), options)
