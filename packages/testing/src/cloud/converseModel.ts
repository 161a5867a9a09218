import type { Provider } from "@tollgate/gateway/upstream/Provider"
import { BillingLog, Sandbox } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import type { Scope } from "effect/Scope"
import type { ServerResponse } from "node:http"
import type { Received } from "../upstream.ts"
import { eventFrame } from "./frames.ts"
import { bedrock, inCloud, json, secretIn } from "./standIns.ts"

// Bedrock with a model that speaks Converse. The sandbox's model thinks of what to say, in messages: each turn is told it in its
// own words. Nothing here is of the gateway's code.

type Fields = Readonly<Record<string, unknown>>

const account = { AccessKeyId: "AKIDCONVERSE", SecretAccessKey: "the/Secret+Key" }
const nova = "eu.amazon.nova-2-lite-v1:0"

class Invalid extends Error {}

/** The fields of a value, which may have no others. */
const only = (value: unknown, ...names: ReadonlyArray<string>): Fields => {
  const fields = (value ?? {}) as Fields
  const other = Object.keys(fields).find((name) => !names.includes(name))
  if (other !== undefined) throw new Invalid(`extraneous key [${other}] is not permitted`)
  return fields
}

const listOf = (value: unknown) => (value ?? []) as ReadonlyArray<Fields>

const readBlock = (block: Fields): Fields => {
  const [[name, value] = [], ...others] = Object.entries(block)
  if (others.length > 0) throw new Invalid("a block has one member")
  switch (name) {
    case "text":
      if (value === "") throw new Invalid("The text field in the ContentBlock object is blank.")
      return { type: "text", text: value }
    case "image": {
      const { format, source } = only(value, "format", "source")
      const { bytes } = only(source, "bytes")
      return { type: "image", source: { type: "base64", media_type: `image/${String(format)}`, data: bytes } }
    }
    case "toolUse": {
      const { input, name, toolUseId } = only(value, "toolUseId", "name", "input")
      return { type: "tool_use", id: toolUseId, name, input }
    }
    case "toolResult": {
      const { content, status, toolUseId } = only(value, "toolUseId", "content", "status")
      return { type: "tool_result", tool_use_id: toolUseId, content: readBlocks(content), is_error: status === "error" }
    }
    case "reasoningContent": {
      const { signature, text } = only(only(value, "reasoningText")["reasoningText"], "text", "signature")
      return { type: "thinking", thinking: text, signature }
    }
    default:
      throw new Invalid(`no block is a ${name}`)
  }
}

/** A mark is of what stands before it. */
const readBlocks = (value: unknown, read = readBlock): ReadonlyArray<Fields> => {
  const blocks: Array<Fields> = []
  for (const block of listOf(value)) {
    if (!("cachePoint" in block)) blocks.push(read(block))
    else if (blocks.length === 0) throw new Invalid("a cachePoint has nothing before it")
    else blocks.push({ ...blocks.pop(), cache_control: { type: "ephemeral" } })
  }
  return blocks
}

const readTool = (tool: Fields): Fields => {
  const { description, inputSchema, name, strict } = only(
    only(tool, "toolSpec")["toolSpec"],
    "name",
    "description",
    "inputSchema",
    "strict"
  )
  return { name, description, input_schema: only(inputSchema, "json")["json"], strict }
}

const readChoice = (choice: unknown): Fields | undefined => {
  const [[name, value] = []] = Object.entries((choice ?? {}) as Fields)
  return name === undefined ? undefined : { type: name, ...(value as Fields) }
}

const readFormat = (format: unknown): Fields | undefined => {
  if (format === undefined) return undefined
  const { structure, type } = only(format, "type", "structure")
  const { schema } = only(only(structure, "jsonSchema")["jsonSchema"], "name", "description", "schema")
  return { type, schema: JSON.parse(String(schema)) as unknown }
}

/** What a call asks for, in messages. */
const readRequest = (body: unknown, stream: boolean): Fields => {
  const fields = only(body, "messages", "system", "inferenceConfig", "toolConfig", "outputConfig")
  const settings = only(fields["inferenceConfig"], "maxTokens", "temperature", "topP", "stopSequences")
  const { toolChoice, tools } = only(fields["toolConfig"], "tools", "toolChoice")
  const { effort, textFormat } = only(fields["outputConfig"], "effort", "textFormat")
  const messages = listOf(fields["messages"]).map((turn) => {
    const { content, role } = only(turn, "role", "content")
    return { role, content: readBlocks(content) }
  })
  return {
    model: "sandbox",
    stream,
    messages,
    system: fields["system"] && readBlocks(fields["system"]),
    max_tokens: settings["maxTokens"] ?? 2_000,
    temperature: settings["temperature"],
    top_p: settings["topP"],
    stop_sequences: settings["stopSequences"],
    tools: tools && readBlocks(tools, readTool),
    tool_choice: readChoice(toolChoice),
    thinking: effort === undefined ? undefined : { type: "adaptive", display: "summarized" },
    output_config: { effort, format: readFormat(textFormat) }
  }
}

const writeBlock = ({ id, input, name, signature, text, thinking, type }: Fields): Fields => {
  if (type === "text") return { text }
  if (type === "tool_use") return { toolUse: { toolUseId: id, name, input } }
  return { reasoningContent: { reasoningText: { text: thinking, signature } } }
}

const writeUsage = (usage: Fields): Fields => {
  const at = (name: string) => Number(usage[name] ?? 0)
  const [input, output] = [at("input_tokens"), at("output_tokens")]
  const [read, written] = [at("cache_read_input_tokens"), at("cache_creation_input_tokens")]
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output + read + written,
    cacheReadInputTokens: read,
    cacheReadInputTokenCount: read,
    cacheWriteInputTokens: written,
    cacheWriteInputTokenCount: written
  }
}

const writeAnswer = (answer: Fields): Fields => ({
  metrics: { latencyMs: 1 },
  output: { message: { role: "assistant", content: listOf(answer["content"]).map(writeBlock) } },
  stopReason: answer["stop_reason"],
  usage: writeUsage(answer["usage"] as Fields)
})

const writeDelta = ({ partial_json, signature, text, thinking, type }: Fields): Fields => {
  switch (type) {
    case "text_delta":
      return { text }
    case "input_json_delta":
      return { toolUse: { input: partial_json } }
    case "signature_delta":
      return { reasoningContent: { signature } }
    default:
      return { reasoningContent: { text: thinking } }
  }
}

/** Writes each event of a stream of messages as a frame. */
const frames = () => {
  let usage: Fields = {}
  return (event: Fields): Uint8Array | undefined => {
    const { content_block: block, delta, index, message, type } = event as Readonly<Record<string, Fields>>
    const contentBlockIndex = index
    switch (String(type)) {
      case "message_start":
        usage = message?.["usage"] as Fields
        return eventFrame("messageStart", { role: "assistant" })
      case "content_block_start":
        if (block?.["type"] !== "tool_use") return undefined
        return eventFrame("contentBlockStart", {
          contentBlockIndex,
          start: { toolUse: { toolUseId: block["id"], name: block["name"] } }
        })
      case "content_block_delta":
        return eventFrame("contentBlockDelta", { contentBlockIndex, delta: writeDelta(delta ?? {}) })
      case "content_block_stop":
        return eventFrame("contentBlockStop", { contentBlockIndex })
      case "message_delta":
        usage = { ...usage, ...(event["usage"] as Fields) }
        return eventFrame("messageStop", { stopReason: delta?.["stop_reason"] })
      case "message_stop":
        return eventFrame("metadata", { metrics: { latencyMs: 1 }, usage: writeUsage(usage) })
      default:
        return undefined
    }
  }
}

const answer = async (ask: (request: Request) => Promise<Response>, res: ServerResponse, received: Received) => {
  const [, model = "", verb] = /^\/model\/([^/]+)\/(converse|converse-stream)$/.exec(received.url) ?? []
  if (decodeURIComponent(model) !== nova) throw new Invalid("The provided model identifier is invalid.")
  const scenario = received.headers["x-tollgate-scenario"]
  const told = await ask(
    new Request("http://sandbox.invalid/v1/messages", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-request-id": String(received.headers["x-request-id"]),
        ...(scenario === undefined ? {} : { "x-tollgate-scenario": String(scenario) })
      },
      body: JSON.stringify(readRequest(JSON.parse(received.body), verb === "converse-stream"))
    })
  )
  const text = await told.text()
  if (!told.ok) throw new Invalid(text)
  if (verb === "converse") return json(res, 200, writeAnswer(JSON.parse(text) as Fields))
  res.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" })
  const frame = frames()
  for (const [, data = ""] of text.matchAll(/^data: (\{.*)$/gm)) {
    const bytes = frame(JSON.parse(data) as Fields)
    if (bytes !== undefined) res.write(bytes)
  }
  return res.end()
}

export interface ConverseModel {
  readonly provider: Provider
  /** Its name at Bedrock. */
  readonly model: string
  readonly billed: BillingLog["Service"]["entries"]
}

export const converseModel: Effect.Effect<ConverseModel, never, Scope> = Effect.gen(function* () {
  const { entries: billed } = yield* BillingLog
  const ask = HttpEffect.toWebHandler(yield* Sandbox.make())
  const { port } = yield* bedrock(account, (res, received) => {
    answer(ask, res, received).catch((error: unknown) =>
      json(res, 400, { message: String(error) }, { "x-amzn-errortype": "ValidationException" })
    )
  })
  const { source } = secretIn(JSON.stringify(account))
  const cloud = { kind: "aws", region: "eu-west-1", secret: source } as const
  const provider = inCloud(port, "converse", cloud, { breaker: false, forwardedHeaders: ["x-tollgate-scenario"] })
  return { provider, model: nova, billed }
}).pipe(Effect.provide(BillingLog.layerMemory()))
