import type { Protocol } from "../Protocol.ts"
import { set } from "../../internal/jsonEdit.ts"
import { isEventStream, asksForStream, bodyWithModel, messageOf, pickHeaders } from "./message.ts"
import { evidenceOf, outputsIn } from "./evidence.ts"
import { getPath } from "./jsonValue.ts"
import { streamMeter } from "./responsesStream.ts"
import { textBytes, parseUsage } from "./responsesText.ts"
import * as Predicate from "effect/Predicate"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

/** Tools that the caller runs. All others run upstream, and what they cost is not in the tokens that are charged. */
const callersOwn = new Set<unknown>(["function", "custom", "local_shell", "apply_patch"])

/** Input items that bring tools of their own. */
const bringsTools = new Set<unknown>(["additional_tools", "tool_search_output"])

const shown = (type: unknown): string =>
  typeof type === "string" && /^[a-z][a-z0-9_-]{0,40}$/.test(type) ? `The tool ${type}` : "This tool"

/** No caller nests namespaces like that, and the stack has an end. */
const deepest = 20

const toolIn = (tools: unknown, path: string, depth = 0): Refused | undefined => {
  if (!Array.isArray(tools)) return undefined
  for (const [i, tool] of tools.entries()) {
    const type: unknown = Predicate.isObject(tool) ? tool["type"] : undefined
    const param = `${path}.${i}`
    if (type === "namespace" && Predicate.isObject(tool) && depth < deepest) {
      const inner = toolIn(tool["tools"], `${param}.tools`, depth + 1)
      if (inner !== undefined) return inner
    } else if (!callersOwn.has(type)) {
      const message = `${param}: ${shown(type)} runs upstream, at a cost that is not in tokens; this gateway offers functions only.`
      return refuse("invalid_request", message, { param })
    }
  }
  return undefined
}

/** Refuses a body of OpenAI's Responses with tools that the upstream would run itself. */
const serverTool = (body: unknown): Refused | undefined => {
  if (!Predicate.isObject(body)) return undefined
  const found = toolIn(body["tools"], "tools")
  const input: unknown = body["input"]
  if (found !== undefined || !Array.isArray(input)) return found
  for (const [i, item] of input.entries()) {
    if (!Predicate.isObject(item) || !bringsTools.has(item["type"])) continue
    const brought = toolIn(item["tools"], `input.${i}.tools`)
    if (brought !== undefined) return brought
  }
  return undefined
}

const isItem = (item: unknown): boolean => typeof getPath(item, "type") === "string"

/** OpenAI's Responses. An upstream of the protocol `openai` serves them beside chat completions. */
export const responses: Omit<Protocol, "id"> = {
  refuse: ({ input }, { serverTools = false }) => (serverTools ? undefined : serverTool(input.body)),
  request: (exchange, alias) => {
    const body = bodyWithModel(exchange, alias)
    return messageOf(exchange, {
      path: alias.path,
      wantsStream: asksForStream(exchange),
      headers: pickHeaders(exchange, ["openai-beta"]),
      // OpenAI would keep the response for thirty days, in the operator's account, where no caller can read or delete it.
      body: getPath(exchange.input.body, "store") === false ? body : set(body, ["store"], "false")
    })
  },
  evidence: evidenceOf({
    outputs: (answer) => outputsIn(getPath(answer, "output"), isItem),
    usage: (answer) => parseUsage(getPath(answer, "usage")),
    textBytes
  }),
  isStreamed: isEventStream,
  streamMeter: (_, eventBytes) => streamMeter(eventBytes)
}
