import type { Effect } from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { DeclaredStatus, ErrorOf, UnexpectedStatus } from "./errors/ApiError.ts"
import type { Family } from "./errors/Family.ts"
import { fill, type Names } from "./Names.ts"
import type { OfTask, CustomTask } from "./CustomTask.ts"
import { isFree, type Price } from "./price/Price.ts"
import type { CacheTerms } from "./price/contracts.ts"
import type { QueryPair, QueryStyles } from "./QueryStyle.ts"
import * as limits from "./limits.ts"
import type { WrittenBody } from "./Upload.ts"

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** Any short words in lower case. `openapi/OpenApi.ts` describes those of the interface. */
export type Category = string

/**
 * Whether a call may be retried when its outcome is unknown.
 *
 * - `free`: yes, it costs nothing and changes nothing.
 * - `billed`: only on proof that it did not run, or with the same idempotency key.
 * - `create`: never.
 */
export type Replay = "free" | "billed" | "create"

/** A parameter whose name the interface does not define. */
export interface ParameterPending {
  readonly open: "parameter"
  readonly role: string
  readonly type: "string" | "integer"
  readonly description?: string
}

/** A part of the operation that the interface does not define. An operator may bind a path or a parameter name. */
export type Pending =
  | { readonly open: "path" }
  | ParameterPending
  | { readonly open: "request"; readonly what: string }
  | { readonly open: "response"; readonly what: string }

/** `open` needs no credential; `hidden` answers 404 instead of 401 if the credential is missing. */
export type Access = "credential" | "open" | "hidden"

/** Who answers: the gateway itself, a native upstream (transport failure is 502) or a managed one (503). */
export type Upstream = "gateway" | "native" | "managed"

export interface Request {
  readonly path?: Schema.ConstraintCodec<unknown, Readonly<Record<string, string>>>
  readonly query?: Schema.ConstraintCodec<unknown, Readonly<Record<string, string | undefined>>>
  /** Parameters of the query that are not one text. In the query's schema they are JSON. */
  readonly styles?: QueryStyles
  /** Parameters in headers, under names in lower case. */
  readonly header?: Schema.ConstraintCodec<unknown, Readonly<Record<string, string | undefined>>>
  /** Fixed headers of the request; names are templates. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Schema.Constraint
  /** The type of a body that is not JSON, such as `multipart/form-data`. Such a body is sent on as it is, and not checked. */
  readonly bodyType?: string
  /** The parts of such a body are checked as fields, name the model and decide the price. */
  readonly form?: true
  /** A request without a body is valid too. */
  readonly optionalBody?: true
}

/**
 * What of the client's functions does not follow from the rest of the description. `pnpm generate` writes them, and shows the
 * comment on the operation behind its summary.
 */
export interface ClientFunctions {
  /** The format of the events. The operation gets a second function, with `Stream` behind its name. */
  readonly stream?: "openai" | "anthropic" | "responses" | "gemini"
  /** There is only a function that streams, and this is its name. */
  readonly streamsAs?: string
  /** Types of fields of which the client takes less than the gateway, as TypeScript. */
  readonly narrowed?: Readonly<Record<string, string>>
}

const mebibyte = 1024 * 1024

/** A model takes images within its body; 20 MiB is what the strictest of the big providers accepts. */
export const modelBodyLimit = 20 * mebibyte

/** The largest bodies, in bytes. A thousand documents of 4 KiB fit into `documents`. */
export const bodyLimits = { data: mebibyte, documents: 4 * mebibyte, model: modelBodyLimit } as const

/** One operation of the interface, as plain data. Routes, client functions, prices and documents are derived from it. */
export interface Operation<
  Req extends Request = Request,
  Ok extends Schema.Constraint = Schema.Constraint,
  Status extends DeclaredStatus = DeclaredStatus,
  Event extends Schema.Constraint = Schema.Constraint,
  Part extends Pending = Pending
> {
  /** A template over `Names`, like the path and the header names. */
  readonly id: string
  readonly category: Category
  /**
   * In a few words. An operation of the interface exports this and its description beside itself, and the list of operations adds
   * them: callers do not need them, so no page has to load them. Without the list it is empty.
   */
  readonly summary: string
  /** What else a reader or a search should know. */
  readonly description?: string
  readonly method: Method
  /** Parameters are in braces: `/tasks/{task_id}`. Missing while the path is pending. */
  readonly path?: string
  /**
   * Other paths of the same operation, with the same parameters in the same order. At a path that another operation has, an alias
   * is meant if the request has the family's header for a key.
   */
  readonly aliases?: ReadonlyArray<string>
  readonly request: Req
  readonly success: Ok
  /** The list that every whole answer of the protocol has. Its body is not checked otherwise. */
  readonly list?: string
  /** The schema of one event, if the operation can also answer with server-sent events. */
  readonly event?: Event
  readonly contentType: string
  /** Headers of an upstream's answer that callers get, in lower case. */
  readonly answerHeaders?: ReadonlyArray<string>
  readonly errors: ReadonlyArray<Status>
  readonly family: Family
  readonly price: Price
  /** Default: only the requests of the key are counted. */
  readonly limit: limits.LimitGroup
  /** How many tokens a client expects a request to take, if they are limited. A page loads it with the operations that have it. */
  readonly expectedTokens?: (price: Price, request: unknown) => number
  /** The largest body, in bytes. */
  readonly bodyLimit: number
  readonly replay: Replay
  readonly upstream: Upstream
  /** Query parameters pass that the definition does not have. */
  readonly otherParameters?: boolean
  /** Whether a success may have no body: then it is `undefined`. */
  readonly mayBeEmpty?: true
  /**
   * A client returns the answer as bytes and their type: always, or unless it is JSON. Missing: an answer that is not JSON is
   * not one of the operation.
   */
  readonly bytes?: "always" | "unless JSON"
  /** Reads the files in an input before anything is sent, where a client can send them. */
  readonly readInput?: (input: unknown, timeoutMillis: number) => Effect<unknown, unknown>
  /** Writes a body that is not JSON, where a client knows how. */
  readonly writeBody?: (body: unknown) => Result.Result<WrittenBody, string>
  /** Splits a query into what its schema encodes and what is written in a style, where a client knows how. */
  readonly splitQuery?: (query: unknown) => { readonly rest: object; readonly pairs: ReadonlyArray<QueryPair> }
  /** Splits an input that is one object of all arguments, where a client knows the operation only from a gateway. */
  readonly split?: (input: unknown) => Parts
  readonly access: Access
  readonly pending: ReadonlyArray<Part>
  /** How long answers are kept for callers who ask for it. Missing: they are not. */
  readonly kept?: CacheTerms
  /** It starts tasks in a form of the upstream's own. */
  readonly task?: CustomTask
  /** It looks after the tasks of another operation. The gateway answers it. */
  readonly ofTask?: OfTask
  /** The original API does not have it. */
  readonly beyond?: true
  /** `false`: the client has no function for it. */
  readonly client?: ClientFunctions | false
}

type Defaults = "summary" | "contentType" | "pending" | "access" | "bodyLimit" | "limit"

export const make = <
  Req extends Request,
  Ok extends Schema.Constraint,
  const Status extends DeclaredStatus,
  Event extends Schema.Constraint = never,
  const Part extends Pending = never
>(
  operation: Omit<Operation<Req, Ok, Status, Event, Part>, Defaults> &
    Partial<Pick<Operation<Req, Ok, Status, Event, Part>, Defaults>>
): Operation<Req, Ok, Status, Event, Part> => ({
  summary: "",
  contentType: "application/json",
  pending: [],
  access: "credential",
  bodyLimit: bodyLimits.data,
  limit: limits.standard,
  ...operation
})

type TypeOf<S> = S extends Schema.Constraint ? S["Type"] : never

/** The named fields alone, so that a misspelt one is a type error. An object without named fields stays open. */
export type Known<T> = { [K in keyof T as string extends K ? never : K]: T[K] } extends infer Named
  ? string extends keyof T
    ? [keyof Named] extends [never]
      ? T
      : Named
    : T
  : never

/** The pending parameters, by role. */
type Roles<Part extends Pending> = {
  readonly [P in Extract<Part, ParameterPending> as string extends P["role"] ? never : P["role"]]?: {
    readonly string: string
    readonly integer: number
  }[P["type"]]
}

type Query<O extends Operation, Named> = keyof Roles<O["pending"][number]> extends never
  ? Named
  : Named & Roles<O["pending"][number]>

type Present<O extends Operation> = {
  [K in (typeof parts)[number] as O["request"][K] extends Schema.Constraint ? K : never]: K extends "query"
    ? Query<O, Known<TypeOf<O["request"][K]>>>
    : Known<TypeOf<O["request"][K]>>
}

/** The caller's input: the only part of the request, or several parts by name. */
export type Input<O extends Operation> =
  Present<O> extends infer P
    ? [keyof P] extends [never]
      ? void
      : // Checked one by one, because `["path" | "body"]` extends `["path"] | ["body"]`.
        [keyof P] extends ["path"]
        ? P[keyof P]
        : [keyof P] extends ["query"]
          ? P[keyof P]
          : [keyof P] extends ["header"]
            ? P[keyof P]
            : [keyof P] extends ["body"]
              ? P[keyof P]
              : P
    : never

/** The type of one field of an input. */
export type Field<I, K extends keyof I> = Required<I>[K]

export type Success<O extends Operation> = O["success"]["Type"]

/** One event of the operation's stream. */
export type EventOf<O extends Operation> = NonNullable<O["event"]>["Type"]

/** The errors that the server can return. */
export type Failure<O extends Operation> = ErrorOf<O["errors"][number]> | UnexpectedStatus

export const parts = ["path", "query", "header", "body"] as const

export type Parts = Partial<Record<(typeof parts)[number], unknown>>

export const split = (operation: Operation, input: unknown): Parts => {
  if (operation.split !== undefined) return operation.split(input)
  const present = parts.filter((part) => operation.request[part] !== undefined)
  if (present.length > 1) return (input ?? {}) as Record<string, unknown>
  return present[0] === undefined ? {} : { [present[0]]: input }
}

export const isComplete = (operation: Operation): boolean => operation.pending.length === 0

/** Every operation has a quote, except free ones. */
export const isQuotable = (operation: Operation): boolean => !isFree(operation.price)

/** An operation with a path and with its templates filled in: what a server routes and a client calls. */
export type Bound<O extends Operation = Operation> = O & {
  readonly path: string
  readonly names: Names
  /** The names of pending parameters, by role. */
  readonly parameters: Readonly<Record<string, string>>
}

/** An operator's settings for a pending operation. */
export interface Binding {
  readonly path?: string
  /** The names of pending parameters, by role. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Query parameters pass that the definition does not have. */
  readonly otherParameters?: boolean
}

/** `undefined` if the path is pending and the binding has none. */
export const bind = <O extends Operation>(operation: O, names: Names, binding: Binding = {}): Bound<O> | undefined => {
  const path = binding.path ?? operation.path
  if (path === undefined) return undefined
  const headers = operation.request.headers
  return {
    ...operation,
    names,
    parameters: binding.parameters ?? {},
    ...(binding.otherParameters === undefined ? {} : { otherParameters: binding.otherParameters }),
    id: fill(operation.id, names),
    path: fill(path, names),
    request:
      headers === undefined
        ? operation.request
        : {
            ...operation.request,
            headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [fill(name, names), value]))
          }
  }
}
