import { OnStopping } from "@tollgate/ledger/commit/Waiting"
import * as McpServer from "effect/ai/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { BaseUrl } from "../../exchange/BaseUrl.ts"
import type { Gateway } from "../../call/Gateway.ts"
import { Tasks } from "../../call/task/Tasks.ts"
import { oncePer } from "../../internal/oncePer.ts"
import { filesPath } from "../../kept/KeptFiles.ts"
import type { Face } from "../Face.ts"
import type { App } from "../http/Http.ts"
import * as Index from "./catalogue/Index.ts"
import { toolsEntry, path } from "./ToolsEntry.ts"
import { protocols } from "./directCall.ts"
import * as Handlers from "./handlers.ts"
import { serveFile } from "./media/files.ts"
import { Origins } from "./Origins.ts"
import { register } from "./register.ts"
import { type Most, Sessions } from "./Sessions.ts"
import { extension } from "./TaskHandle.ts"
import { taskMethods } from "./taskMethods.ts"
import { instructions } from "./tools.ts"

export interface Options extends Partial<Handlers.Settings> {
  /** The version of the program, which clients are told. */
  readonly version?: string
  /** Other origins than the gateway's own whose pages may call the tools, such as `https://inspector.example`. */
  readonly origins?: ReadonlyArray<string>
  readonly sessions?: Partial<Most>
  /** More tools, prompts and resources. */
  readonly registrations?: Layer.Layer<never, never, McpServer.McpServer>
  /** JSON-RPC methods of sessions that are answered beside the MCP server, such as `resources/subscribe`. */
  readonly methods?: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => unknown>>
  /** Whether clients may listen for changes of the lists. Default: no, the lists do not change. */
  readonly subscriptions?: boolean
}

/** A catalogue for each gateway: a reload of the configuration makes a new one. */
const catalogueOf = oncePer(({ catalogue, models, prices }: Gateway) => Index.make(catalogue, prices, models))

/** The tool server: the gateway for agents, over MCP's streamable HTTP. */
export const make = Effect.fnUntraced(function* (gateway: () => Gateway, options: Options = {}) {
  const { methods = {}, registrations = Layer.empty, version = "0.0.0" } = options
  const { approvalSeconds = 45, pollMillis = 3_000, waitSeconds = 45 } = options
  const origins = new Origins(yield* BaseUrl, options.origins ?? [])
  const router = yield* HttpRouter.make
  const tasks = Option.getOrUndefined(yield* Effect.serviceOption(Tasks))
  const stopping = Deferred.makeUnsafe<void>()
  ;(yield* OnStopping)(() => Deferred.doneUnsafe(stopping, Effect.void))
  const handlers = Handlers.make({ approvalSeconds, pollMillis, waitSeconds }, tasks, Deferred.await(stopping))
  const serverInfo = { name: gateway().catalogue.names.provider, version }
  const server = McpServer.layerHttp({
    ...serverInfo,
    instructions,
    path,
    protocols,
    allowedOrigins: origins.list,
    allowSessionTermination: true,
    allowSubscriptions: options.subscriptions ?? false,
    registrations: Layer.merge(register(handlers), registrations),
    ...(tasks === undefined ? {} : { extensions: { [extension]: {} } })
  })
  yield* Layer.build(Layer.provide(server, Layer.succeed(HttpRouter.HttpRouter, router)))
  const answer = toolsEntry({
    gateway,
    catalogueOf,
    mcp: router.asHttpEffect(),
    handlers: new Map(handlers.map(([{ name }, handle]) => [name, handle])),
    serverInfo: JSON.stringify(serverInfo),
    origins,
    sessions: new Sessions({ perOwner: 256, inAll: 8_192, ...options.sessions }),
    methods,
    ofTasks: tasks && taskMethods(tasks, pollMillis)
  })
  const face: Face<never, Effect.Services<App>> = {
    paths: [path, `${filesPath}*`],
    answer: (request, at) => (at === path ? answer(request) : serveFile(gateway().files, request, at))
  }
  return face
})
