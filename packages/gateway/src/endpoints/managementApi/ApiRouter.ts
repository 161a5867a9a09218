import { type Api, type ApiRoute, type Input, parametersOf, type Routes, type Success } from "@tollgate/contract/Api"
import { apiDocument } from "@tollgate/contract/openapi/apiDocument"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountsError } from "@tollgate/ledger/account/Accounts"
import type { FixedDocument } from "../../document/FixedDocument.ts"
import { decode } from "../../internal/decode.ts"
import { duplicateName, hasDuplicateNames } from "../../internal/jsonEdit.ts"
import { parseJson } from "../../internal/jsonValue.ts"
import { parseQuery } from "../../internal/query.ts"
import { refuse, Refused } from "@tollgate/contract/errors/Refused"
import { readBody } from "../http/Http.ts"

export type Failure = AccountsError | SqlError | Refused

type Handler<R extends ApiRoute, Context> = (
  input: Input<R>,
  context: Context
) => Effect.Effect<Success<R> | FixedDocument, Failure>

export type Handlers<Group extends Routes, Context = unknown> = {
  readonly [Name in keyof Group]: Handler<Group[Name], Context>
}

/** The handlers of all groups. Without those of a group, its paths are unknown. */
type GroupHandlers<Groups extends Api["groups"], Context> = {
  readonly [Group in keyof Groups]: Handlers<Groups[Group], Context> | undefined
}

export interface Reply {
  readonly status: 200 | 201
  readonly body: unknown
  /** The body is text of this type. */
  readonly type: ApiRoute["type"]
}

const badQuery = refuse("invalid_request", "The query is not valid: its encoding is broken.")

// An unknown name is likely a typo, which would change less or show more than was asked for.
const strict = { onExcessProperty: "error" } as const

const queryOf = ({ query: schema }: ApiRoute, { url }: HttpServerRequest): Result.Result<object, Refused> => {
  const at = url.indexOf("?")
  const query = parseQuery(at === -1 ? "" : url.slice(at + 1))
  if (query === undefined) return Result.fail(badQuery)
  if (schema === undefined) return Result.succeed({})
  return Result.map(decode(schema, Object.fromEntries(query), strict, "parameter"), (query) => ({ query }))
}

/** Far more than any body but a section of a configuration file. */
const defaultBodyLimit = 64 * 1024

const emptyBody = Result.succeed({})

/** Of two values for a name one would be dropped, and nobody would notice. */
const once = (bytes: Uint8Array, json: unknown): Result.Result<unknown, Refused> => {
  if (!Predicate.isObject(json) || Array.isArray(json) || !hasDuplicateNames(bytes, json)) return Result.succeed(json)
  const name = duplicateName(bytes) ?? ""
  return Result.fail(
    refuse("invalid_request", `The body has ${JSON.stringify(name.slice(0, 100))} twice; send it once.`, {
      param: name
    })
  )
}

const bodyOf = ({ body: schema, bodyLimit = defaultBodyLimit }: ApiRoute, request: HttpServerRequest) =>
  schema === undefined
    ? Effect.succeed({})
    : Effect.flatMap(readBody(request, bodyLimit), (bytes) => {
        const json = bytes.length === 0 ? emptyBody : Result.flatMap(parseJson(bytes), (json) => once(bytes, json))
        return Effect.fromResult(
          Result.map(
            Result.flatMap(json, (json) => decode(schema, json, strict)),
            (body) => ({ body })
          )
        )
      })

const partOf = (route: ApiRoute, request: HttpServerRequest): Effect.Effect<object, Refused> =>
  route.method === "GET" ? Effect.fromResult(queryOf(route, request)) : bodyOf(route, request)

/** The values of a path's parameters. Compares the path as sent: ids need no encoding. */
const valuesIn = (pattern: string, path: string): Readonly<Record<string, string>> | undefined => {
  const wanted = pattern.split("/")
  const given = path.split("/")
  if (wanted.length !== given.length) return undefined
  const values: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const [name] = parametersOf(part)
    if (name !== undefined && given[i] !== "") values[name] = given[i]!
    else if (part !== given[i]) return undefined
  }
  return values
}

export interface Found<Context> {
  readonly group: string
  readonly route: ApiRoute
  readonly answer: (request: HttpServerRequest, context: Context) => Effect.Effect<Reply, Failure>
}

/** `undefined`: no route has the path. Refused: none of its routes has the method. */
export type FindRoute<Context> = (path: string, method: string) => Found<Context> | Refused | undefined

interface Served<Context> {
  readonly group: string
  readonly route: ApiRoute
  readonly handler: Handler<ApiRoute, Context>
}

/** Finds the route of a request, by its path after the API's prefix. The context is what handlers get besides the input. */
export const makeRouter =
  <Context = void>() =>
  <Groups extends Api["groups"]>(groups: Groups, handlers: GroupHandlers<Groups, Context>): FindRoute<Context> => {
    const given = handlers as Readonly<Record<string, Handlers<Routes, Context> | undefined>>
    const all = Object.entries(groups).flatMap(([group, routes]) =>
      Object.entries(routes).flatMap(([name, route]): ReadonlyArray<Served<Context>> => {
        const handler = given[group]?.[name]
        return handler === undefined ? [] : [{ group, route, handler }]
      })
    )
    return (path, method) => {
      const atPath = all.filter(({ route }) => valuesIn(route.path, path) !== undefined)
      if (atPath.length === 0) return undefined
      const found = atPath.find(({ route }) => route.method === method)
      if (found === undefined) {
        const allow = atPath.map(({ route }) => route.method).join(", ")
        return refuse("method_not_allowed", `This path allows ${allow}.`, { headers: { Allow: allow } })
      }
      const { group, handler, route } = found
      return {
        group,
        route,
        answer: (request, context) =>
          partOf(route, request).pipe(
            Effect.flatMap((part) => handler({ ...valuesIn(route.path, path), ...part }, context)),
            Effect.map((body) => ({ status: route.status ?? 200, body, type: route.type }))
          )
      }
    }
  }

/** Runs routes by name, in this process. `part`: the query or body, as it would be sent. */
export const makeRunner =
  <Context = void>() =>
  <Groups extends Api["groups"]>(groups: Groups, handlers: GroupHandlers<Groups, Context>) => {
    const given = handlers as Readonly<Record<string, Handlers<Routes, Context> | undefined>>
    return (
      group: keyof Groups & string,
      name: string,
      path: Readonly<Record<string, string>>,
      part: unknown,
      context: Context
    ): Effect.Effect<unknown, Failure> => {
      const [route, handler] = [groups[group]?.[name], given[group]?.[name]]
      if (route === undefined || handler === undefined) return Effect.die(`no handler of ${group}.${name}`)
      const { body, query } = route
      const schema = route.method === "GET" ? query : body
      const decoded = schema === undefined ? Result.succeed(undefined) : decode(schema, part, strict)
      return Effect.flatMap(Effect.fromResult(decoded), (value) =>
        handler({ ...path, [route.method === "GET" ? "query" : "body"]: value }, context)
      )
    }
  }

/** The handlers of an API with those of its own document, which has the groups that have handlers. */
export const withDocument = <H extends object>(api: Api, handlers: H) => {
  let made: ReturnType<typeof apiDocument> | undefined
  const absent = new Set(Object.entries(handlers).flatMap(([group, of]) => (of === undefined ? [group] : [])))
  return { ...handlers, document: { openApi: () => Effect.sync(() => (made ??= apiDocument(api, absent))) } }
}
