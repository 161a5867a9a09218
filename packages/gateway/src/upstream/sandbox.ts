import { fill, type Names } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Platform } from "../link/Platform.ts"
import type { Model } from "../builtin/Models.ts"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import type { Provider } from "./Provider.ts"
import type { Route } from "./Route.ts"

const origin = "http://sandbox.invalid"

const provider = (protocol: string): Provider => ({
  name: "sandbox",
  baseUrl: origin,
  protocol,
  headers: {},
  deadlineMillis: 60_000,
  idleMillis: 30_000,
  private: false,
  sandbox: true
})

const protocols: Readonly<Record<string, string>> = {
  "chat.completions": "openai",
  "deep_research.search": "openai",
  messages: "anthropic",
  "models.generate_content": "gemini",
  "models.stream_generate_content": "gemini"
}

/** Where the sandbox has what the contract shows no path for. */
export const paths: Readonly<Record<string, string>> = {
  "deep_research.search": "/v1/deep-research/search",
  "images.generate": "/v1/images/generations"
}

/** As the sandbox itself lists them. */
export const models: ReadonlyArray<Model> = [
  { id: "sandbox", ownedBy: "sandbox", operations: Object.keys(protocols) },
  { id: "sandbox-video", ownedBy: "sandbox", operations: ["video.create"] },
  { id: "rerank", ownedBy: "sandbox", operations: ["rerank"] }
]

/** All that the sandbox answers for, at any model. */
export const routes = (names: Names): ReadonlyArray<Route> =>
  operations
    .filter(({ upstream }) => upstream !== "gateway")
    .map(({ id }) => ({
      operation: fill(id, names),
      to: [
        {
          provider: provider(protocols[id] ?? "json"),
          ...(paths[id] === undefined ? {} : { path: paths[id] }),
          weight: 1
        }
      ]
    }))

/** The sandbox plays the platform whose accounts are linked. Its page is opened at the gateway's own address. */
export const platform = (baseUrl: string, callback: string): Platform["Service"] => ({
  authorizeUrl: `${baseUrl}/platform/authorize`,
  tokenUrl: `${origin}/platform/token`,
  clientId: "tollgate",
  redirectUri: `${baseUrl}${callback}`
})

/**
 * What goes to the sandbox stays in this process; all else takes the other way. `host` is where the sandbox is to say that
 * its videos are.
 */
export const carrier = <E1, R1, E2, R2>(
  inProcess: Layer.Layer<Carrier, E1, R1>,
  others: Layer.Layer<Carrier, E2, R2>,
  host: string
): Layer.Layer<Carrier, E1 | E2, R1 | R2> =>
  Layer.effect(
    Carrier,
    Effect.gen(function* () {
      const [own, other] = yield* Effect.all([build(inProcess), build(others)])
      return {
        carry: (outgoing) =>
          outgoing.origin === origin
            ? own.carry({ ...outgoing, headers: { ...outgoing.headers, host } })
            : other.carry(outgoing)
      }
    })
  )

const build = <E, R>(layer: Layer.Layer<Carrier, E, R>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, Carrier))
