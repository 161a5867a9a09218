import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { HttpBody } from "effect/http/HttpBody"
import { ask } from "../ask.ts"
import { bearer, Tenants } from "./app.ts"

export const authPath = "/apis/v1/social_a/auth_social_a"
export const callback = "/apis/v1/social_a/oauth_callback"
export const followPath = "/apis/v1/social_a/follow_social_a"

const textOf = (body: HttpBody): string => (body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "")

type Reply = (form: URLSearchParams, headers: Readonly<Record<string, string>>) => Effect.Effect<Response> | Response

/** A platform with a scripted token endpoint. Records the token requests, and the token of every other call. */
export const platform = (reply: Reply) => {
  const tokenRequests: Array<URLSearchParams> = []
  const upstreamTokens: Array<string | undefined> = []
  const http = HttpClient.make((request) => {
    const answer = (response: Response) => HttpClientResponse.fromWeb(request, response)
    if (!request.url.endsWith("/platform/token")) {
      upstreamTokens.push(request.headers["authorization"])
      return Effect.succeed(answer(Response.json({ data: { following: true } })))
    }
    const form = new URLSearchParams(textOf(request.body))
    tokenRequests.push(form)
    const replied = reply(form, request.headers)
    return Effect.isEffect(replied) ? Effect.map(replied, answer) : Effect.succeed(answer(replied))
  })
  return { http, tokenRequests, upstreamTokens }
}

export const tokens = (count: number | string, rest: object = {}) => ({
  token_type: "bearer",
  access_token: `access-${count}`,
  refresh_token: `refresh-${count}`,
  expires_in: 7_200,
  scope: "follows.write tweet.read",
  ...rest
})

export const start = (key: string, body: object = {}) =>
  Effect.map(ask("POST", authPath, bearer(key), JSON.stringify(body)), (answer) => {
    const { auth_url, expires_at, state } = answer.json() as Record<string, string>
    return { status: answer.status, url: new URL(auth_url ?? "http://none.invalid"), state: state ?? "", expires_at }
  })

/** The callback path that the platform redirects the user's browser to. */
export const decide = Effect.fnUntraced(function* (url: URL, decision: "approve" | "deny") {
  const { outside } = yield* Tenants
  const response = yield* outside.get(`${url.href}&decision=${decision}`)
  return (response.headers["location"] ?? "").replace("http://gateway.invalid", "")
})

export const openCallback = (state: string, code = "a code") =>
  ask("GET", `${callback}?${new URLSearchParams({ code, state }).toString()}`)

export const follow = (key: string) => ask("POST", followPath, bearer(key), JSON.stringify({ target: "somebody" }))

/** Links an account in one step, without the platform's page. */
export const link = Effect.fnUntraced(function* (key: string, body: object = {}) {
  const { state } = yield* start(key, body)
  return yield* openCallback(state)
})

/** The whole content of the store as text. */
export const dump = Effect.fnUntraced(function* () {
  const { sql } = yield* Tenants
  const tables = yield* sql<{ readonly name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table'`
  let text = ""
  for (const { name } of tables) {
    for (const row of yield* sql<Record<string, unknown>>`SELECT * FROM ${sql(name)}`) {
      for (const value of Object.values(row)) {
        text += `${value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value)}\n`
      }
    }
  }
  return text
})

export const sessions = Effect.flatMap(Tenants, ({ sql }) =>
  Effect.map(
    sql<{ readonly owner: string; readonly scopes: string }>`SELECT owner, scopes FROM link_sessions`,
    (rows) => rows.map(({ owner }) => owner)
  )
)
