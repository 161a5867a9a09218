import { expect, it } from "@effect/vitest"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import * as Effect from "effect/Effect"

/** Asks for access as the console, and returns the status and where the answer leads. */
const authorize = (baseUrl: string, redirectUri: string) =>
  Effect.promise(async () => {
    const query = new URLSearchParams({
      client_id: "console",
      response_type: "code",
      redirect_uri: redirectUri,
      scope: "use usage grants",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256"
    })
    const { headers, status } = await fetch(`${baseUrl}/oauth/authorize?${query}`, { redirect: "manual" })
    return [status, headers.get("location")] as const
  })

it.live("the gateway's own console signs people in without a registration, at its one address", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* OAuthGateway
    const [status, location] = yield* authorize(baseUrl, `${baseUrl}/sign-in`)
    expect([status, location]).toEqual([303, expect.stringContaining("/oauth/interaction/")])
    // Another program on this machine cannot get its codes, at another port or path.
    for (const other of ["http://127.0.0.1:9/sign-in", `${baseUrl}/sign-in/more`, "https://evil.example/sign-in"]) {
      expect([other, ...(yield* authorize(baseUrl, other))]).toEqual([other, 400, null])
    }
  }).pipe(Effect.provide(OAuthGateway.layer({ server: { hasConsole: true } })))
)

it.live("a gateway without its console knows no such client", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* OAuthGateway
    expect(yield* authorize(baseUrl, `${baseUrl}/sign-in`)).toEqual([400, null])
  }).pipe(Effect.provide(OAuthGateway.layer()))
)
