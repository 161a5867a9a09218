import type { ToolServer } from "@tollgate/tools"
import { WatchSettings } from "@tollgate/gateway/call/task/WatchedTask"
import * as Layer from "effect/Layer"
import { Served } from "../hostile/Served.ts"
import { bindings, priced } from "../models.ts"
import { type Options, TestGateway } from "../TestGateway.ts"

/** The sandbox's tasks end after milliseconds. */
const soon = Layer.succeed(WatchSettings, { ...WatchSettings.defaultValue(), firstMillis: 50, maxMillis: 200 })

/** A gateway on a real port, in front of the sandbox, with short pauses between polls. */
export const servedSandbox = (options: Options = {}, tools: ToolServer.Options = {}) =>
  Layer.provideMerge(
    Served.layer(),
    TestGateway.layer({
      operations: priced,
      bindings,
      sandbox: "all",
      tools: { pollMillis: 520, ...tools },
      ...options
    })
  ).pipe(Layer.provide(soon))
