import { Caller } from "@tollgate/testing/openapi/Caller"
import { externalIssuer, newKey, sign } from "@tollgate/testing/hostile/externalIssuer"
import { pausedUpstream } from "@tollgate/testing/hostile/pausedUpstream"
import { validatingProxy } from "@tollgate/testing/openapi/ValidatingProxy"
import { closedPort } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { addressIn, folder, keyIn } from "./program.ts"
import { startGateway } from "./tollgate.ts"

const adminToken = "an-admin-token-of-the-test"
const baseUrl = "https://gateway.example.com"

const upstream = (port: number, protocol: string) => ({ baseUrl: `http://127.0.0.1:${port}`, protocol, private: true })

/**
 * The program with its sandbox behind a validating proxy. The model `held` answers when the test says so, and `gone` not at
 * all; neither does the data that `goneData` names.
 */
export const documentedGateway = Effect.gen(function* () {
  const issuer = yield* externalIssuer()
  const signingKey = yield* newKey("first")
  yield* issuer.publish(signingKey)
  const held = yield* pausedUpstream
  const gone = yield* closedPort
  const file = join(folder(), "tollgate.jsonc")
  writeFileSync(
    file,
    JSON.stringify({
      sandbox: true,
      upstreams: {
        held: upstream(held.port, "openai"),
        gone: upstream(gone, "openai"),
        goneData: upstream(gone, "json")
      },
      routes: [
        { operation: "chat.completions", model: "held", to: [{ upstream: "held" }] },
        { operation: "chat.completions", model: "gone", to: [{ upstream: "gone" }] },
        { operation: "social_a.tweet_quotes", to: [{ upstream: "goneData" }] }
      ],
      prices: {
        models: { held: { input: "1", output: "1" }, gone: { input: "1", output: "1" } },
        operations: { "social_a.tweet_quotes": { amount: "0.001" } }
      },
      oauth: { issuer: issuer.issuer, accountClaim: "account", private: true }
    })
  )
  const gateway = yield* Effect.acquireRelease(
    Effect.promise(() =>
      startGateway({
        TOLLGATE_DATA: folder(),
        TOLLGATE_CONFIG: file,
        TOLLGATE_BASE_URL: baseUrl,
        TOLLGATE_ADMIN_TOKEN: adminToken,
        // So that a test can be many addresses.
        TOLLGATE_TRUSTED_PROXIES: "1"
      })
    ),
    ({ stop }) => Effect.promise(stop)
  )
  const address = addressIn(gateway.banner)
  const proxy = yield* validatingProxy(address)
  const token = (claims: object) =>
    Effect.runPromise(
      sign(signingKey, {
        iss: issuer.issuer,
        aud: baseUrl,
        sub: "anna",
        client_id: "agent",
        exp: Math.floor(Date.now() / 1_000) + 3_600,
        ...claims
      })
    )
  return {
    address,
    proxy,
    held,
    token,
    admin: new Caller(`${address}/admin/v1`, adminToken),
    caller: new Caller(proxy.baseUrl, keyIn(gateway.banner))
  }
})
