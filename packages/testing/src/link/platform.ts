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

/** A platform whose token endpoint answers as it is told; what it was asked is kept. Whoever acts is told by its token. */
export const platform = (reply: Reply) => {
  const asked: Array<URLSearchParams> = []
  const acted: Array<string | undefined> = []
  const http = HttpClient.make((request) => {
    const answer = (response: Response) => HttpClientResponse.fromWeb(request, response)
    if (!request.url.endsWith("/platform/token")) {
      acted.push(request.headers["authorization"])
      return Effect.succeed(answer(Response.json({ data: { following: true } })))
    }
    const form = new URLSearchParams(textOf(request.body))
    asked.push(form)
    const replied = reply(form, request.headers)
    return Effect.isEffect(replied) ? Effect.map(replied, answer) : Effect.succeed(answer(replied))
  })
  return { http, asked, acted }
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

/** Where the user's browser comes to after it was asked by the platform. */
export const decided = Effect.fnUntraced(function* (url: URL, decision: "approve" | "deny") {
  const { outside } = yield* Tenants
  const sent = yield* outside.get(`${url.href}&decision=${decision}`)
  return (sent.headers["location"] ?? "").replace("http://gateway.invalid", "")
})

export const come = (state: string, code = "a code") =>
  ask("GET", `${callback}?${new URLSearchParams({ code, state }).toString()}`)

export const follow = (key: string) => ask("POST", followPath, bearer(key), JSON.stringify({ target: "somebody" }))

/** Links whatever account the platform at hand gives. */
export const link = Effect.fnUntraced(function* (key: string, body: object = {}) {
  const { state } = yield* start(key, body)
  return yield* come(state)
})

/** All that the store holds, as text. */
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
