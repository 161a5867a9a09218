import { Accounts, Admin, EndpointGroup, trustProxies } from "@tollgate/gateway"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { ask } from "../ask.ts"
import { Host } from "../Host.ts"
import { TestGateway } from "../TestGateway.ts"

export const adminToken = "an-admin-token-of-some-length"

/** A gateway with its admin API, over sockets and behind one proxy, so that a test can call from any address. */
export const behindProxy = Host.layerNode.pipe(
  Layer.provideMerge(
    Layer.effect(
      TestGateway,
      Effect.gen(function* () {
        const gateway = yield* TestGateway
        const admin = yield* Admin.make(Redacted.make(adminToken)).pipe(
          Effect.provideService(Accounts, gateway.accounts),
          Effect.provide(Layer.mergeAll(Digest.layerWebCrypto, SecureRandom.layerWebCrypto))
        )
        return { ...gateway, app: trustProxies(1)(EndpointGroup.serve([Admin.endpoints(admin)], () => gateway.app)) }
      })
    ).pipe(Layer.provide(TestGateway.layer()))
  )
)

/** Asks from an address, as a proxy in front of the gateway reports it. */
export const askFrom = (address: string, ...[method, path, headers, body]: Parameters<typeof ask>) =>
  ask(method, path, { ...headers, "x-forwarded-for": address }, body)
