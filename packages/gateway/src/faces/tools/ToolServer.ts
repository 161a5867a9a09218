import { OnStopping } from "@tollgate/ledger/commit/Waiting"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
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
import * as Handlers from "./handlers.ts"
import { serveFile } from "./media/files.ts"
import { Origins } from "./Origins.ts"
import { type Most, Sessions } from "./Sessions.ts"
import { taskMethods } from "./taskMethods.ts"

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
  const face: Face<never, Effect.Services<App>> = {
    paths: [path, `${filesPath}*`],
    answer: (request, at) => (at === path ? answer(request) : serveFile(gateway().files, request, at))
  }
  return face
})
