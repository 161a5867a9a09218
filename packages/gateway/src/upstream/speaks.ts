import type { Bound, Operation } from "@tollgate/contract/Operation"
import { bind } from "@tollgate/contract/Operation"
import type { Names } from "@tollgate/contract/Names"
import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { generateContent } from "@tollgate/contract/operations/generateContent"
import { messages } from "@tollgate/contract/operations/messages"
import { responses } from "@tollgate/contract/operations/responses"
import { streamGenerateContent } from "@tollgate/contract/operations/streamGenerateContent"
import type { Shape, UpstreamShape } from "@tollgate/protocols/Conversation"
import type { Provider } from "./Provider.ts"

/** The protocol of each operation that asks a model. */
const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  [chatCompletions.id, "chat"],
  [responses.id, "responses"],
  [messages.id, "messages"],
  [generateContent.id, "generateContent"],
  [streamGenerateContent.id, "generateContent"]
])

export const shapeOf = (operation: string): Shape | undefined => shapes.get(operation)

/** What upstreams of each protocol speak. The first is what others are translated to. */
const spoken: Readonly<Record<string, ReadonlyArray<UpstreamShape>>> = {
  openai: ["chat", "responses"],
  anthropic: ["messages"],
  gemini: ["generateContent"],
  converse: ["converse"],
  bedrock: ["converse"]
}

// As Bedrock names models, also of several regions, and in the names of its resources.
const claude = /(?:^|[./])anthropic\./

/** An upstream as it is asked for a model. Bedrock serves Claude in the words of its maker, and every model in its own. */
export const askedFor = (provider: Provider, model = ""): Provider =>
  provider.protocol === "bedrock" ? { ...provider, protocol: claude.test(model) ? "anthropic" : "converse" } : provider

type Speaker = Pick<Provider, "protocol" | "lacks">

/** What an upstream is asked in for the operation. `undefined`: it cannot serve it. */
export const shapeFor = ({ lacks = [], protocol }: Speaker, operation: string): UpstreamShape | undefined => {
  const shape = shapeOf(operation)
  const all = spoken[protocol]?.filter((each) => !lacks.includes(each))
  if (shape === undefined || all === undefined) return undefined
  return all.includes(shape) ? shape : all[0]
}

export const translatedTo = (provider: Speaker, operation: string): UpstreamShape | undefined => {
  const shape = shapeFor(provider, operation)
  return shape === shapeOf(operation) ? undefined : shape
}

/** A call in the words of Bedrock is one of messages: nobody but the gateway makes it. */
export const operationOf = (shape: UpstreamShape, isStream = false): Operation => {
  switch (shape) {
    case "chat":
      return chatCompletions
    case "responses":
      return responses
    case "messages":
    case "converse":
      return messages
    case "generateContent":
      return isStream ? streamGenerateContent : generateContent
  }
}

const bound = new WeakMap<Names, Map<string, Bound>>()

export const askedBy = (shape: UpstreamShape, isStream: boolean, names: Names): Bound => {
  const operation = operationOf(shape, isStream)
  let known = bound.get(names)
  if (known === undefined) bound.set(names, (known = new Map()))
  let found = known.get(operation.id)
  if (found === undefined) {
    found = bind(operation, names)
    if (found === undefined) throw new Error(`${operation.id} has no path`)
    known.set(operation.id, found)
  }
  return found
}
