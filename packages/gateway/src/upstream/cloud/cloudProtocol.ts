import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { countTokens } from "@tollgate/contract/operations/countTokens"
import type { Decoded } from "../../exchange/Exchange.ts"
import { set, textStart, without } from "../../internal/jsonEdit.ts"
import type { Alias, Message, Protocol } from "../Protocol.ts"
import { asksForStream, hasType } from "../protocols/message.ts"
import type { Cloud } from "../Cloud.ts"
import { eventStreamType } from "./eventStream.ts"

const withoutMember = (name: string) => {
  const remove = without(name)
  return (body: Uint8Array): Uint8Array => remove(body, textStart(body), body.length) ?? body
}
const withoutModel = withoutMember("model")
const withoutStream = withoutMember("stream")

const unserved = (what: string): Refused =>
  refuse("invalid_request", `The upstream of this model does not offer ${what}; nothing was executed.`)

/** A path has no segment that a server could take for "the folder above". */
const isPathSegment = (model: string | undefined): boolean => model !== undefined && !/^\.{0,2}$/.test(model)

const modelOf = ({ model = "" }: Decoded, alias: Alias): string => alias.model ?? model

/** The protocol's message without the caller's query, at another path. */
const messageAt = (protocol: Protocol, exchange: Decoded, path: string, alias: Alias = {}): Message =>
  protocol.request({ ...exchange, query: "" }, { ...alias, path })

type Wrapped = Pick<Protocol, "request"> & Partial<Pick<Protocol, "refuse" | "isStreamed">>

/** A call in another shape is translated to a message. */
const refuseOthers: NonNullable<Protocol["refuse"]> = ({ model, operation }) => {
  if (operation.id === countTokens.id) return unserved(operation.id)
  return isPathSegment(model) ? undefined : unserved("this model")
}

const invoke = { whole: "invoke", streamed: "invoke-with-response-stream", version: '"bedrock-2023-05-31"' }
const converse = { whole: "converse", streamed: "converse-stream", version: undefined }

/** The path has the model, and says whether it streams. Flags that others send in a header are in the body. */
const bedrock = (protocol: Protocol, { streamed, version, whole }: typeof invoke | typeof converse): Wrapped => ({
  refuse: refuseOthers,
  request: (exchange, alias) => {
    const wantsStream = asksForStream(exchange)
    const at = `/model/${encodeURIComponent(modelOf(exchange, alias))}/${wantsStream ? streamed : whole}`
    const { body, headers, ...message } = messageAt(protocol, exchange, alias.path ?? at)
    const { "anthropic-beta": beta, "anthropic-version": _, ...rest } = headers
    const plain = body && withoutStream(withoutModel(body))
    const edited = plain && version ? set(plain, ["anthropic_version"], version) : plain
    const flags = beta?.split(",").map((flag) => flag.trim())
    return {
      ...message,
      headers: { ...rest, accept: wantsStream ? eventStreamType : "application/json" },
      body: edited && flags ? set(edited, ["anthropic_beta"], JSON.stringify(flags)) : edited
    }
  },
  isStreamed: (_, head) => hasType(head, eventStreamType)
})

/** Vertex writes versions of models after an `@`. */
const vertexModel = (exchange: Decoded, alias: Alias): string =>
  encodeURIComponent(modelOf(exchange, alias)).replaceAll("%40", "@")

const vertexMessages = (protocol: Protocol, root: string): Wrapped => ({
  refuse: refuseOthers,
  request: (exchange, alias) => {
    const action = asksForStream(exchange) ? "streamRawPredict" : "rawPredict"
    const at = `${root}/publishers/anthropic/models/${vertexModel(exchange, alias)}:${action}`
    const message = messageAt(protocol, exchange, alias.path ?? at)
    const { body } = message
    return { ...message, body: body && set(withoutModel(body), ["anthropic_version"], '"vertex-2023-10-16"') }
  }
})

/** What an operation of Gemini does with a model: the end of its path. */
const actionOf = ({ operation }: Decoded): string | undefined => /:\w+$/.exec(operation.path)?.[0]

const vertexGemini = (protocol: Protocol, root: string): Wrapped => ({
  request: (exchange, alias) => {
    const at = `${root}/publishers/google/models/${vertexModel(exchange, alias)}${actionOf(exchange) ?? ""}`
    return protocol.request(exchange, { ...alias, path: alias.path ?? at })
  }
})

/** OpenAI's protocol below another path than `/v1`. */
const openaiBelow = (protocol: Protocol, root: string): Wrapped => ({
  request: (exchange, alias) => {
    const path = alias.path ?? root + exchange.path.replace(/^\/v1(?=\/)/, "")
    return messageAt(protocol, exchange, path, alias)
  }
})

const wrappedIn = (protocol: Protocol, cloud: Cloud): Wrapped | undefined => {
  const root = cloud.kind === "google" ? `/v1/projects/${cloud.project}/locations/${cloud.location}` : ""
  switch (`${cloud.kind} ${protocol.id}`) {
    case "aws anthropic":
      return bedrock(protocol, invoke)
    case "aws converse":
      return bedrock(protocol, converse)
    case "aws openai":
      return openaiBelow(protocol, "/openai/v1")
    case "google anthropic":
      return vertexMessages(protocol, root)
    case "google gemini":
      return vertexGemini(protocol, root)
    case "google openai":
      return openaiBelow(protocol, `${root}/endpoints/openapi`)
    default:
      return undefined
  }
}

/** The protocol as a cloud serves it. Its answers are those of the protocol. */
export const inCloud = (protocol: Protocol, cloud: Cloud | undefined): Protocol =>
  cloud === undefined ? protocol : { ...protocol, ...wrappedIn(protocol, cloud) }
