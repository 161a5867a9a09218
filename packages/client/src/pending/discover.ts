import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Bindings, Client } from "../Client.ts"
import { isPolled } from "../pace/polled.ts"
import { list, object, text } from "../stream/Event.ts"

/** The paths of a contract, and the names of parameters that the operator bound. */
const bindingsIn = (document: unknown): Bindings => {
  const found: Record<string, Bindings[string]> = {}
  for (const [path, methods] of Object.entries(object(object(document)["paths"]))) {
    for (const operation of Object.values(object(methods)).map(object)) {
      const bound = list(operation["parameters"]).filter((parameter) => "x-role" in parameter)
      const parameters = Object.fromEntries(bound.map((parameter) => [parameter["x-role"], parameter["name"]]))
      if (path.startsWith("/")) found[text(operation["operationId"]) ?? ""] = { path, parameters }
    }
  }
  return found
}

const longestMillis = 60_000

/** The contract needs no credential, so it is asked for without one. */
const readJson = ({ carry, headers, origin, path }: Client["Service"], address: string) =>
  Effect.flatMap(
    carry({
      method: "GET",
      origin,
      path: path + address,
      headers: { ...headers, accept: "application/json" },
      body: undefined,
      private: true,
      deadlineMillis: longestMillis,
      idleMillis: longestMillis,
      isStreamed: () => false
    }),
    ({ body, status }) =>
      Effect.try({
        try: (): unknown => {
          if (status !== 200 || !(body instanceof Uint8Array)) throw new Error(`status ${status}`)
          return JSON.parse(Utf8.decode(body))
        },
        catch: (cause) => cause
      })
  )

const read = (client: Client["Service"]): Effect.Effect<Bindings, unknown> =>
  readJson(client, "/api/contracts/version").pipe(
    Effect.flatMap((version) => {
      const hash = encodeURIComponent(text(object(version)["contentHash"]) ?? "")
      return readJson(client, `/api/contracts/source?hash=${hash}&bundled=1`)
    }),
    Effect.map(bindingsIn)
  )

const reading = new WeakMap<Client["Service"], Fiber.Fiber<Bindings, unknown>>()

/** The bindings in the gateway's own contract. It is read once for a client; the next call repeats a failed read. */
export const discovered = (client: Client["Service"]): Effect.Effect<Bindings, unknown> =>
  Effect.suspend(() => {
    const known = reading.get(client)
    // In Cloudflare Workers a request cannot wait for what another one reads.
    if (known !== undefined && !(isPolled && known.pollUnsafe() === undefined)) return Fiber.join(known)
    const forgotten = Effect.sync(() => reading.delete(client))
    // Detached, since other calls wait for it too.
    return Effect.flatMap(Effect.forkDetach(Effect.onError(read(client), () => forgotten)), (fiber) => {
      reading.set(client, fiber)
      return Fiber.join(fiber)
    })
  })
