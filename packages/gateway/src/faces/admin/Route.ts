import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountsError } from "../../books/account/Accounts.ts"
import { parseJson } from "../../internal/parseJson.ts"
import { decode } from "../../internal/decode.ts"
import { parseQuery } from "../../internal/query.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
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
  /** After the prefix. A part that begins with a colon stands for one segment: the first for an id, another for its part. */
  readonly path: string
  readonly run: (ids: Ids, request: HttpServerRequest) => Effect.Effect<Reply, Failure>
}

/** The segments of a path that vary. Missing ones are empty. */
export type Ids = readonly [id: string, part: string]

export type Query = ReadonlyMap<string, string>

const badQuery = refuse("invalid_request", "The query is not valid: its encoding is broken.")

export const get = (
  path: string,
  run: (id: string, query: Query, part: string) => Effect.Effect<Reply, Failure>
): Route => ({
  method: "GET",
  path,
  run: ([id, part], { url }) => {
    const at = url.indexOf("?")
    const query = parseQuery(at === -1 ? "" : url.slice(at + 1))
    return query === undefined ? Effect.fail(badQuery) : run(id, query, part)
  }
})

// An unknown field is likely a typo, so it is refused.
const strict = { onExcessProperty: "error" } as const

/** Far more than any body of the admin API. */
const maxBytes = 64 * 1024

/** For the bodies that hold a section of a configuration file. */
export const sectionBytes = 1024 * 1024

/** A missing body counts as one without fields. */
const emptyBody = Result.succeed({})

const withBody =
  (method: "POST" | "PATCH") =>
  <S extends Schema.Constraint>(
    path: string,
    schema: S,
    run: (id: string, body: S["Type"]) => Effect.Effect<Reply, Failure>,
    most = maxBytes
  ): Route => ({
    method,
    path,
    run: ([id], request) =>
      Effect.flatMap(readBody(request, most), (bytes) => {
        const json = bytes.length === 0 ? emptyBody : parseJson(bytes)
        const body = Result.flatMap(json, (json) => decode(schema, json, strict))
        return Result.isFailure(body) ? Effect.fail(body.failure) : run(id, body.success)
      })
  })

export const post = withBody("POST")
export const patch = withBody("PATCH")

export interface Match {
  readonly ids: Ids
  readonly routes: ReadonlyArray<Route>
}

const idsOf = (pattern: string, path: string): Ids | undefined => {
  const wanted = pattern.split("/")
  const given = path.split("/")
  if (wanted.length !== given.length) return undefined
  const ids: Array<string> = []
  for (const [i, part] of wanted.entries()) {
    if (part.startsWith(":") && given[i] !== "") ids.push(given[i]!)
    else if (part !== given[i]) return undefined
  }
  return [ids[0] ?? "", ids[1] ?? ""]
}

/** Compares the path as sent: ids need no encoding. */
export const match = (routes: ReadonlyArray<Route>, path: string): Match | undefined => {
  const found = routes.filter((route) => idsOf(route.path, path) !== undefined)
  const ids = found[0] && idsOf(found[0].path, path)
  return ids && { ids, routes: found }
}
