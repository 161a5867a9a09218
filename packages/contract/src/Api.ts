import * as Schema from "effect/Schema"

/** What an access token needs. A key may do everything. */
export type Scope = "use" | "usage" | "grants"

/** What an operator may do. */
export type Role = "owner" | "finance" | "support" | "reader"

/** Values of a request that succeeds, as they are sent. */
export interface RouteExample {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

interface Described {
  /** One sentence. It is the hover text of the client's function and the row of the documents' table. */
  readonly summary: string
  readonly description?: string
  readonly query?: Schema.Constraint
  readonly body?: Schema.Constraint
  /** The answer. It is sent as it is, so it has no transformation. */
  readonly success: Schema.Constraint
  readonly status?: 200 | 201
  /** The answer is text of this type, and the client has no function for it. Default: JSON. */
  readonly type?: "text/csv"
  /** It also answers 409: what is asked for contradicts what was booked or ended before. */
  readonly conflicts?: true
  readonly scope?: Scope
  /** Which operators may use it, besides owners. Default: all may use a GET, and owners alone the others. */
  readonly role?: ReadonlyArray<Role>
  /** Needs no credential, and has no function in the client. */
  readonly isOpen?: true
  /** Whether the client may repeat it if the outcome is unknown. Default: unless it is a POST. */
  readonly replay?: "free" | "create"
  /** The largest body, in bytes. Default: 64 KiB. */
  readonly bodyLimit?: number
  /** Left out if the request has nothing to fill in but its path. */
  readonly example?: Omit<RouteExample, "path">
}

/** One route of the gateway's own APIs, as plain data. Its handler, client function and documents are derived from it. */
export interface ApiRoute extends Omit<Described, "example"> {
  readonly method: "GET" | "POST" | "PATCH"
  /** After the API's prefix. Parameters are in braces: `/accounts/{id}`. */
  readonly path: string
  readonly example: RouteExample
}

/** Values of parameters, by what stands before them in a path. */
const samples: Readonly<Record<string, string>> = {
  accounts: "acct_1",
  approvals: "ap_1",
  calls: "req_1",
  grants: "gr_1",
  keys: "key_1",
  operators: "op_1",
  payments: "pay_1",
  statements: "2026-11",
  tokens: "optok_1",
  webhooks: "msg_1"
}

const samplesIn = (path: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...path.matchAll(/(\w+)\/\{(\w+)\}/g)].map(([, before = "", name]) => [name, samples[before]]))

const describe =
  <const Method extends ApiRoute["method"]>(method: Method) =>
  <const Path extends string, D extends Described>(path: Path, described: D) => ({
    method,
    path,
    ...described,
    example: { path: samplesIn(path), ...described.example } as RouteExample
  })

export const get = describe("GET")
/** A missing body counts as one without fields. */
export const post = describe("POST")
export const patch = describe("PATCH")

/** For a POST that changes nothing, or only what is the operator's own. */
export const everybody: ReadonlyArray<Role> = ["finance", "support", "reader"]

/** Routes by name: that of the client's function and of the handler. */
export type Routes = Readonly<Record<string, ApiRoute>>

/** An API of the gateway itself. Its operations are not in the catalogue. */
export interface Api {
  readonly name: "admin" | "account"
  readonly prefix: string
  readonly title: string
  readonly description: string
  /** What the bearer credential is. */
  readonly credential: string
  /** By subject. A gateway that lacks what a group needs does not have its routes. */
  readonly groups: Readonly<Record<string, Routes>>
}

/** A body without fields. Not an empty struct, which accepts anything. */
export const NoFields = Schema.Record(Schema.String, Schema.Never)

export const OpenApiDocument = Schema.Record(Schema.String, Schema.Unknown)
export type OpenApiDocument = typeof OpenApiDocument.Type

/** The group that every API has. */
export const document = {
  openApi: get("/openapi.json", {
    summary: "This API as an OpenAPI 3.0 document",
    success: OpenApiDocument
  })
} as const

type ParametersOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersOf<Rest>
  : never

type Part<R extends ApiRoute, Name extends "query" | "body"> = R extends {
  readonly [K in Name]: infer S extends Schema.Constraint
}
  ? { readonly [K in Name]: S["Type"] }
  : unknown

/** What a handler gets: the path's parameters by name, and the decoded query and body. */
export type Input<R extends ApiRoute> = { readonly [K in ParametersOf<R["path"]>]: string } & Part<R, "query"> &
  Part<R, "body">

export type Success<R extends ApiRoute> = R["success"]["Type"]

export const parametersOf = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)
