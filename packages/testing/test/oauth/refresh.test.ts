import { expect, layer } from "@effect/vitest"
import { call } from "@tollgate/testing/oauth/call"
import { TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import * as Effect from "effect/Effect"
import { setTimeout } from "node:timers/promises"
import * as oauth from "oauth4webapi"

const tokenRequest = async (baseUrl: string, fields: Readonly<Record<string, string>>) => {
  const response = await fetch(`${baseUrl}/oauth/token`, { method: "POST", body: new URLSearchParams(fields) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const invalidGrant = { error: "invalid_grant" }

const fieldsOf = ({ client }: TestClient, refresh_token = "") => ({
  grant_type: "refresh_token",
  client_id: client.client_id,
  refresh_token
})

layer(OAuthGateway.layer(), { excludeTestServices: true, timeout: "30 seconds" })("a refresh token", (it) => {
  const signedIn = Effect.gen(function* () {
    const { baseUrl } = yield* OAuthGateway
    return yield* Effect.promise(async () => {
      const client = await TestClient.register(baseUrl)
      return { client, first: await client.signIn() }
    })
  })

  it.effect("that is used several times at once gets one pair of tokens", () =>
    Effect.gen(function* () {
      const { account, baseUrl, grants } = yield* OAuthGateway
      const { client, first } = yield* signedIn
      yield* Effect.promise(async () => {
        const all = await Promise.all(
          Array.from({ length: 8 }, () => tokenRequest(baseUrl, fieldsOf(client, first.refresh_token)))
        )
        expect(all.map(({ status }) => status)).toEqual(Array(8).fill(200))
        expect(new Set(all.map(({ body }) => body.access_token)).size).toBe(1)
        expect(new Set(all.map(({ body }) => body.refresh_token)).size).toBe(1)
        const { access_token, refresh_token } = all[0]?.body ?? {}
        expect((await call(baseUrl, String(access_token))).status).toBe(200)
        expect((await client.refresh(String(refresh_token))).access_token).not.toBe(access_token)
      })
      expect((yield* grants.list(account))[0]).toMatchObject({ ended: false })
    })
  )

  it.effect("whose answer was lost gets the same answer, with the time that is left", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      const { client, first } = yield* signedIn
      yield* Effect.promise(async () => {
        const lost = await tokenRequest(baseUrl, fieldsOf(client, first.refresh_token))
        await setTimeout(1_100)
        const again = await tokenRequest(baseUrl, fieldsOf(client, first.refresh_token))
        expect(again.body).toEqual({ ...lost.body, expires_in: again.body.expires_in })
        expect(Number(again.body.expires_in)).toBeLessThan(Number(lost.body.expires_in))
      })
    })
  )

  it.effect("gets a new pair if the first refresh ended before it had an answer", () =>
    Effect.gen(function* () {
      const { baseUrl, sql } = yield* OAuthGateway
      const { client, first } = yield* signedIn
      const lost = yield* Effect.promise(() => tokenRequest(baseUrl, fieldsOf(client, first.refresh_token)))
      yield* sql.unsafe("DELETE FROM oauth WHERE model = 'Refreshed'")
      yield* Effect.promise(async () => {
        const again = await tokenRequest(baseUrl, fieldsOf(client, first.refresh_token))
        expect(again.status).toBe(200)
        expect(again.body.access_token).not.toBe(lost.body.access_token)
        expect((await call(baseUrl, String(again.body.access_token))).status).toBe(200)
      })
    })
  )

  it.effect("that is used again for something else is refused, and the grant goes on", () =>
    Effect.gen(function* () {
      const { account, baseUrl, grants } = yield* OAuthGateway
      const { client, first } = yield* signedIn
      yield* Effect.promise(async () => {
        const fields = fieldsOf(client, first.refresh_token)
        expect((await tokenRequest(baseUrl, fields)).status).toBe(200)
        const other = await tokenRequest(baseUrl, { ...fields, scope: "usage" })
        expect(other).toMatchObject({ status: 400, body: invalidGrant })
      })
      expect((yield* grants.list(account))[0]).toMatchObject({ ended: false })
    })
  )

  it.effect("of another client gets nothing, also after its own client has used it", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl, { token_endpoint_auth_method: "client_secret_basic" })
        const thief = await TestClient.register(baseUrl)
        const guesser = new TestClient(client.server, client.client, oauth.ClientSecretBasic("a guess"))
        const { refresh_token = "" } = await client.signIn()
        await expect(thief.refresh(refresh_token)).rejects.toMatchObject(invalidGrant)
        const second = await client.refresh(refresh_token)
        await expect(thief.refresh(refresh_token)).rejects.toMatchObject(invalidGrant)
        await expect(guesser.refresh(refresh_token)).rejects.toMatchObject({ status: 401 })
        expect((await client.refresh(refresh_token)).access_token).toBe(second.access_token)
      })
    })
  )

  it.effect("is not used up by a request for another scope or resource", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const { refresh_token } = await client.signIn({ scope: "usage", resource: `${baseUrl}/mcp` })
        const fields = fieldsOf(client, refresh_token)
        const refused = async (more: Readonly<Record<string, string>>) =>
          (await tokenRequest(baseUrl, { ...fields, ...more })).body.error
        expect(await refused({ scope: "use" })).toBe("invalid_scope")
        expect(await refused({ resource: baseUrl })).toBe("invalid_target")
        expect(await refused({ resource: "https://other.example" })).toBe("invalid_target")
        const right = await tokenRequest(baseUrl, { ...fields, resource: `${baseUrl}/mcp` })
        expect(right).toMatchObject({ status: 200, body: { scope: "usage" } })
      })
    })
  )

  it.effect("that was taken back gets nothing, also if it was used a moment ago", () =>
    Effect.gen(function* () {
      const { account, baseUrl, grants } = yield* OAuthGateway
      const { client, first } = yield* signedIn
      yield* Effect.promise(() => tokenRequest(baseUrl, fieldsOf(client, first.refresh_token)))
      const [grant] = yield* grants.list(account)
      yield* grants.revoke(grant?.id ?? "")
      const after = yield* Effect.promise(() => tokenRequest(baseUrl, fieldsOf(client, first.refresh_token)))
      expect(after).toMatchObject({ status: 400, body: invalidGrant })
    })
  )
})

const grace = OAuthGateway.layer({ server: { lifetimes: { refreshGraceSeconds: 1 } } })

layer(grace, { excludeTestServices: true, timeout: "30 seconds" })("after its grace a refresh token", (it) => {
  it.effect("ends the grant, because somebody else has it", () =>
    Effect.gen(function* () {
      const { account, baseUrl, grants } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const first = await client.signIn()
        const second = await client.refresh(first.refresh_token ?? "")
        expect((await call(baseUrl, second.access_token)).status).toBe(200)
        await setTimeout(1_100)
        await expect(client.refresh(first.refresh_token ?? "")).rejects.toMatchObject(invalidGrant)
        expect((await call(baseUrl, second.access_token)).status).toBe(401)
        await expect(client.refresh(second.refresh_token ?? "")).rejects.toMatchObject(invalidGrant)
      })
      expect((yield* grants.list(account))[0]).toMatchObject({ ended: true })
    })
  )
})
