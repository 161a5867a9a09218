import { expect, it } from "@effect/vitest"
import { call } from "@tollgate/testing/oauth/call"
import { redirectUri, TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway, type Options } from "@tollgate/testing/oauth/OAuthGateway"
import { Person } from "@tollgate/testing/oauth/Person"
import { httpUpstream, tcpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"

const host = "client.example"
const id = (path: string) => `https://${host}${path}`

const documentOf = (path: string, more: object = {}) => ({
  client_id: id(path),
  client_name: "By document",
  redirect_uris: [redirectUri],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
  ...more
})

const send = (res: ServerResponse, body: unknown, status = 200, headers = {}) =>
  void res.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

/** What the client's own site answers at each path. */
const site: Readonly<Record<string, (res: ServerResponse) => void>> = {
  "/good": (res) => send(res, documentOf("/good")),
  "/other-id": (res) => send(res, documentOf("/good")),
  "/no-id": (res) => send(res, { redirect_uris: [redirectUri] }),
  "/redirect": (res) => send(res, documentOf("/redirect"), 302, { location: id("/good") }),
  "/error": (res) => send(res, documentOf("/error"), 500),
  "/huge": (res) => send(res, documentOf("/huge", { client_name: "x".repeat(1_000_000) })),
  "/endless": (res) => {
    res.writeHead(200, { "content-type": "application/json" })
    const write = () => {
      while (!res.destroyed && res.write(" ".repeat(65_536)));
    }
    res.on("drain", write).on("error", () => {})
    write()
  },
  "/slow": () => {},
  "/half": (res) => {
    res.writeHead(200, { "content-type": "application/json" })
    res.write('{"client_id":')
  },
  "/html": (res) => void res.writeHead(200, { "content-type": "text/html" }).end("<html>"),
  "/array": (res) => send(res, []),
  "/script": (res) => send(res, documentOf("/script", { redirect_uris: ["javascript:alert(1)"] })),
  "/http": (res) => send(res, documentOf("/http", { redirect_uris: ["http://evil.example/back"] })),
  "/many": (res) => send(res, documentOf("/many", { redirect_uris: Array(100).fill(redirectUri) })),
  "/secret": (res) => send(res, documentOf("/secret", { token_endpoint_auth_method: "client_secret_post" }))
}

const withSite = <A, E>(
  use: (asked: ReadonlyArray<string>) => Effect.Effect<A, E, OAuthGateway>,
  server: Options["server"] = {}
) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const { port } = yield* httpUpstream((res, { url }) => {
      asked.push(url)
      site[url]?.(res)
    })
    const gateway = OAuthGateway.layer({ hosts: { [host]: port }, server })
    return yield* Effect.provide(use(asked), gateway)
  }).pipe(Effect.scoped)

/** What the person's browser gets for a client with this id. */
const ask = async (baseUrl: string, client_id: string, redirect_uri = redirectUri) => {
  const client = new TestClient(await TestClient.discover(baseUrl), { client_id })
  const address = await client.address("v".repeat(43), { redirect_uri })
  const response = await fetch(address, { redirect: "manual" })
  return { status: response.status, location: response.headers.get("location"), text: await response.text() }
}

it.live("a client whose id is the address of its metadata document needs no registration", () =>
  withSite((asked) =>
    Effect.gen(function* () {
      const { account, baseUrl, grants } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const server = await TestClient.discover(baseUrl)
        expect(server.client_id_metadata_document_supported).toBe(true)
        const client = new TestClient(server, { client_id: id("/good") })
        const tokens = await client.signIn()
        expect((await call(baseUrl, tokens.access_token)).status).toBe(200)
        const renewed = await client.refresh(tokens.refresh_token ?? "")
        expect((await call(baseUrl, renewed.access_token)).status).toBe(200)
      })
      expect(asked).toEqual(["/good"])
      expect(yield* grants.list(account)).toMatchObject([{ client: { id: id("/good") } }])
    })
  )
)

it.live("the installations of such a client share one grant, and the person is told", () =>
  withSite(() =>
    Effect.gen(function* () {
      const { account, baseUrl, grants } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = new TestClient(await TestClient.discover(baseUrl), { client_id: id("/good") })
        const person = new Person()
        const first = await client.signIn({ person })
        const asked = await person.browser.fetch((await client.address("v".repeat(43))).href)
        const consent = await person.browser.fetch(new URL(asked.headers.get("location") ?? "", baseUrl).href)
        expect(await consent.text()).toMatch(
          /already has access \(\$0\.00 of \$5\.00 spent\)\.\s+If you approve, it goes on under what you choose/
        )
        const second = await client.signIn({ person })
        expect((await call(baseUrl, first.access_token)).status).toBe(200)
        expect((await call(baseUrl, second.access_token)).status).toBe(200)
      })
      expect((yield* grants.list(account)).map(({ ended }) => ended)).toEqual([false])
    })
  )
)

it.live("a document that is hostile, or not there, gets nobody asked", () =>
  withSite(
    () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* OAuthGateway
        yield* Effect.promise(async () => {
          for (const path of Object.keys(site).filter((path) => path !== "/good")) {
            expect(await ask(baseUrl, id(path)), path).toMatchObject({ status: 400, location: null })
          }
          for (const path of ["/missing", "/slow", "/error", "/huge", "/html"]) {
            expect((await ask(baseUrl, id(path))).text, path).toContain("This app cannot be checked")
          }
          expect(await ask(baseUrl, id("/good"), "https://evil.example/back")).toMatchObject({
            status: 400,
            location: null
          })
        })
      }),
    { documentMillis: 300 }
  )
)

it.live("a document is fetched by https from a public address only", () =>
  Effect.gen(function* () {
    let connections = 0
    const { port } = yield* tcpUpstream((socket) => {
      connections++
      socket.destroy()
    })
    yield* Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        for (const client_id of [
          `https://127.0.0.1:${port}/client`,
          `https://localhost:${port}/client`,
          `https://[::1]:${port}/client`,
          `https://[::ffff:127.0.0.1]:${port}/client`,
          "https://169.254.169.254/latest/meta-data",
          "https://10.0.0.1/client",
          `http://127.0.0.1:${port}/client`,
          `http://${host}/good`,
          `https://user@${host}/good`,
          `https://${host}/a/../good`,
          `https://${host}/good#x`
        ]) {
          expect(await ask(baseUrl, client_id), client_id).toMatchObject({ status: 400, location: null })
        }
      })
      expect(connections).toBe(0)
    }).pipe(Effect.provide(OAuthGateway.layer({ hosts: { [host]: port } })))
  }).pipe(Effect.scoped)
)
