import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as JsonRpc from "./jsonRpc.ts"
import type { Message } from "./messages.ts"
import { extension } from "./tasks.ts"
import { instructions, tools } from "./tools.ts"

/** What clients are told of the program. */
export interface ServerInfo {
  readonly name: string
  readonly version: string
}

const listed = Object.values(tools).map(({ description, hints, inputSchema, name, title }) => ({
  name,
  title,
  description,
  inputSchema,
  annotations: { title, ...hints }
}))

/** There are no resources; many clients ask all the same. */
const lists: Readonly<Record<string, object>> = {
  "tools/list": { tools: listed },
  "resources/list": { resources: [] },
  "resources/templates/list": { resourceTemplates: [] }
}

/** Nothing is logged to clients, and there are no prompts. */
const ofSessions: Readonly<Record<string, object>> = {
  ping: {},
  "logging/setLevel": {},
  "prompts/list": { prompts: [] }
}

const isNamed = (value: unknown): boolean =>
  Predicate.hasProperty(value, "name") &&
  Predicate.isString(value.name) &&
  Predicate.hasProperty(value, "version") &&
  Predicate.isString(value.version)

/** What each result of the revision without sessions says. */
export const ofStateless = (serverInfo: ServerInfo) => ({
  _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
  resultType: "complete"
})

const invalid = Result.fail<JsonRpc.ErrorBody>({ code: JsonRpc.invalidParams, message: "Invalid method parameters" })

/** Answers the requests that call no tool. */
export const methods =
  (serverInfo: ServerInfo, hasTasks: boolean) =>
  ({ method = "", params }: Message, revision: string): Result.Result<object, JsonRpc.ErrorBody> => {
    const capabilities = {
      tools: { listChanged: false },
      ...(hasTasks ? { extensions: { [extension]: {} } } : {})
    }
    const { _meta: metadata } = params
    if (metadata !== undefined && !Predicate.isObject(metadata)) return invalid
    const cached = { ...ofStateless(serverInfo), ttlMs: 0, cacheScope: "private" }
    const list = Object.hasOwn(lists, method) ? lists[method] : undefined
    if (list !== undefined) return Result.succeed(revision === JsonRpc.stateless ? { ...cached, ...list } : list)
    if (revision === JsonRpc.stateless) {
      if (method === "server/discover") {
        return Result.succeed({ ...cached, supportedVersions: JsonRpc.revisions, capabilities, instructions })
      }
    } else if (method === "initialize") {
      const { capabilities: ofClient, clientInfo, protocolVersion } = params
      if (typeof protocolVersion !== "string" || !Predicate.isObject(ofClient) || !isNamed(clientInfo)) return invalid
      return Result.succeed({
        protocolVersion: JsonRpc.agreedOn(protocolVersion),
        capabilities: { ...capabilities, logging: {} },
        serverInfo,
        instructions
      })
    } else {
      const result = Object.hasOwn(ofSessions, method) ? ofSessions[method] : undefined
      if (result !== undefined) return Result.succeed(result)
    }
    return Result.fail({ code: JsonRpc.methodNotFound, message: `Method not found: ${method.slice(0, 100)}` })
  }
