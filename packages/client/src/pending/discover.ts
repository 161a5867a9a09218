import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Bindings, Client } from "../Client.ts"
import { TransportFailed } from "../errors/errors.ts"
import { isPolled } from "../pace/Permit.ts"
import * as Utf8 from "@tollgate/contract/Utf8"
import { list, object, text } from "../events/Event.ts"

type Read<A> = (client: Client["Service"]) => Effect.Effect<A, unknown>

/** Reads something once for a client, however many calls need it at the same time. The next call repeats a failed read. */
export const sharedRead = <A>(read: Read<A>) => {
  const reading = new WeakMap<Client["Service"], Fiber.Fiber<A, unknown>>()
  const begin = (client: Client["Service"], read: Effect.Effect<A, unknown>): Effect.Effect<A, unknown> => {
    const forgotten = Effect.sync(() => reading.delete(client))
    // Detached, since other calls wait for it too.
    return Effect.flatMap(Effect.forkDetach(Effect.onError(read, () => forgotten)), (fiber) => {
      reading.set(client, fiber)
      return Fiber.join(fiber)
    })
  }
  return {
    get: (client: Client["Service"]): Effect.Effect<A, unknown> =>
      Effect.suspend(() => {
        const known = reading.get(client)
        // In Cloudflare Workers a request cannot wait for what another one reads.
        return known === undefined || (isPolled && known.pollUnsafe() === undefined)
          ? begin(client, read(client))
          : Fiber.join(known)
      }),
    /** Reads it again. */
    renew: begin
  }
}

/** A reading of the gateway's contract for an operation, as a call fails that cannot do without. */
export const inTime = <A>(
  read: Effect.Effect<A, unknown>,
  duration: number,
  operation: string,
  need: string
): Effect.Effect<A, TransportFailed> =>
  Effect.mapError(Effect.timeoutOrElse(read, { duration, orElse: () => Effect.fail("It takes too long") }), (cause) => {
    const message = `The gateway's contract could not be read, which ${need}`
    return new TransportFailed({ operation, message, outcome: "not executed", cause })
  })

/** The paths of a contract, and the names of parameters that the operator bound. */
export const bindingsIn = (document: unknown): Bindings => {
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

export const readHash = (client: Client["Service"]): Effect.Effect<string, unknown> =>
  Effect.map(readJson(client, "/api/contracts/version"), (version) => text(object(version)["contentHash"]) ?? "")

/** The OpenAPI document of the contract with this hash. */
export const readDocument = (client: Client["Service"], hash: string): Effect.Effect<unknown, unknown> =>
  readJson(client, `/api/contracts/source?hash=${encodeURIComponent(hash)}&bundled=1`)

const read = (client: Client["Service"]): Effect.Effect<Bindings, unknown> =>
  readHash(client).pipe(
    Effect.flatMap((hash) => readDocument(client, hash)),
    Effect.map(bindingsIn)
  )

/** The bindings in the gateway's own contract. */
export const discovered = /* @__PURE__ */ sharedRead(read).get
