import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountsError } from "../../account/Accounts.ts"
import { parseJson } from "../../internal/parseJson.ts"
import { decode } from "../../internal/decode.ts"
import type { Refused } from "../../Refused.ts"
import { readBody } from "../http/body.ts"

export interface Reply {
  readonly status: 200 | 201
  readonly body: unknown
}

export const ok = (body: unknown): Reply => ({ status: 200, body })
export const created = (body: unknown): Reply => ({ status: 201, body })

export type Failure = AccountsError | SqlError | Refused

export interface Route {
  readonly method: "GET" | "POST" | "PATCH"
  /** After the prefix; `:id` stands for one segment. */
  readonly path: string
  readonly run: (id: string, request: HttpServerRequest) => Effect.Effect<Reply, Failure>
}

export const get = (path: string, run: (id: string) => Effect.Effect<Reply, Failure>): Route => ({
  method: "GET",
  path,
  run
})

// An unknown field is likely a typo, so it is refused.
const strict = { onExcessProperty: "error" } as const

/** Far more than any body of the admin API. */
const maxBytes = 64 * 1024

/** A missing body counts as one without fields. */
const emptyBody = Result.succeed({})

const withBody =
  (method: "POST" | "PATCH") =>
  <S extends Schema.Constraint>(
    path: string,
    schema: S,
    run: (id: string, body: S["Type"]) => Effect.Effect<Reply, Failure>
  ): Route => ({
    method,
    path,
    run: (id, request) =>
      Effect.flatMap(readBody(request, maxBytes), (bytes) => {
        const json = bytes.length === 0 ? emptyBody : parseJson(bytes)
        const body = Result.flatMap(json, (json) => decode(schema, json, strict))
        return Result.isFailure(body) ? Effect.fail(body.failure) : run(id, body.success)
      })
  })

export const post = withBody("POST")
export const patch = withBody("PATCH")

export interface Match {
  readonly id: string
  readonly routes: ReadonlyArray<Route>
}

const idOf = (pattern: string, path: string): string | undefined => {
  const wanted = pattern.split("/")
  const given = path.split("/")
  if (wanted.length !== given.length) return undefined
  let id = ""
  for (const [i, part] of wanted.entries()) {
    if (part === ":id" && given[i] !== "") id = given[i]!
    else if (part !== given[i]) return undefined
  }
  return id
}

/** Compares the path as sent: ids need no encoding. */
export const match = (routes: ReadonlyArray<Route>, path: string): Match | undefined => {
  const found = routes.filter((route) => idOf(route.path, path) !== undefined)
  return found[0] === undefined ? undefined : { id: idOf(found[0].path, path) ?? "", routes: found }
}
