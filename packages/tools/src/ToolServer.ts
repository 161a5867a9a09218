import { OnStopping } from "@tollgate/ledger/commit/Waiting"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Gateway } from "@tollgate/gateway/call/Gateway"
import { Tasks } from "@tollgate/gateway/call/task/Tasks"
import { BaseUrl } from "@tollgate/gateway/exchange/BaseUrl"
import { filesPath, type StoredFiles } from "@tollgate/gateway/cache/StoredFiles"
import type { EndpointGroup } from "@tollgate/gateway/endpoints/EndpointGroup"
import type { App } from "@tollgate/gateway/endpoints/http/Http"
import { oncePer } from "@tollgate/gateway/endpoint"
import { type Most, Sessions } from "./Sessions.ts"
import { path, toolsEntry } from "./ToolsEntry.ts"
import { Origins } from "./admission.ts"
import * as Index from "./ToolCatalogue.ts"
import * as Handlers from "./handlers.ts"
import { sniff } from "./media.ts"
import { taskMethods } from "./taskMethods.ts"

/** A browser shows nothing but pictures and sounds, and runs nothing. */
const headers = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "cache-control": "private, no-store",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex"
}

const text = (status: number, body: string, more: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(body, { status, headers: { ...headers, ...more } })

const notFound = text(404, "There is no such file, or its time is over.\n")
const notAllowed = text(405, "A file can only be read.\n", { allow: "GET, HEAD" })

/** Serves a file to whoever has its address. */
export const serveFile = (
  files: StoredFiles | undefined,
  { method }: HttpServerRequest,
  path: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (method !== "GET" && method !== "HEAD") return Effect.succeed(notAllowed)
  if (files === undefined) return Effect.succeed(notFound)
  return Effect.map(files.open(path.slice(filesPath.length)), (file) => {
    if (file === undefined) return notFound
    const { kind, mimeType } = sniff(file.bytes, file.contentType)
    const contentType = kind === "file" ? "application/octet-stream" : mimeType
    const disposition = kind === "file" ? "attachment" : "inline"
    return HttpServerResponse.uint8Array(file.bytes, {
      contentType,
      headers: { ...headers, "content-disposition": disposition }
    })
  })
}

export interface Options extends Partial<Handlers.Settings> {
  /** The version of the program, which clients are told. */
  readonly version?: string
  /** Other origins than the gateway's own whose pages may call the tools, such as `https://inspector.example`. */
  readonly origins?: ReadonlyArray<string>
  readonly sessions?: Partial<Most>
}

/** A catalogue for each gateway: a reload of the configuration makes a new one. */
const catalogueOf = oncePer(({ catalogue, models, prices }: Gateway) => Index.make(catalogue, prices, models))

/** The tool server: the gateway for agents, over MCP's streamable HTTP. */
export const make = Effect.fnUntraced(function* (gateway: () => Gateway, options: Options = {}) {
  const { approvalSeconds = 45, pollMillis = 3_000, version = "0.0.0", waitSeconds = 45 } = options
  const origins = new Origins(yield* BaseUrl, options.origins ?? [])
  const tasks = Option.getOrUndefined(yield* Effect.serviceOption(Tasks))
  const stopping = Deferred.makeUnsafe<void>()
  ;(yield* OnStopping)(() => Deferred.doneUnsafe(stopping, Effect.void))
  const handlers = Handlers.make({ approvalSeconds, pollMillis, waitSeconds }, tasks, Deferred.await(stopping))
  const answer = toolsEntry({
    gateway,
    catalogueOf,
    handlers: new Map(handlers.map(([{ name }, handle]) => [name, handle])),
    serverInfo: { name: gateway().catalogue.names.provider, version },
    origins,
    sessions: new Sessions({ perOwner: 256, inAll: 8_192, ...options.sessions }),
    ofTasks: tasks && taskMethods(tasks, pollMillis)
  })
  const endpoints: EndpointGroup<never, Effect.Services<App>> = {
    paths: [path, `${filesPath}*`],
    answer: (request, at) => (at === path ? answer(request) : serveFile(gateway().files, request, at))
  }
  return endpoints
})
