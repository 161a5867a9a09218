import * as Base64 from "effect/encoding/Base64"
import { asksForStructure, type CallMessage } from "./Caller.ts"
import { TaskHandle } from "./tasks.ts"
import type { Content } from "./handlers.ts"
import { oldest, stateless } from "./jsonRpc.ts"
import { type Attached, Media } from "./media.ts"
import { ofStateless, type ServerInfo } from "./methods.ts"
import type { Batch, Used } from "./shapes.ts"

interface ResourceLink {
  readonly type: "resource_link"
  readonly uri: string
  readonly name: string
  readonly mimeType?: string
  readonly description?: string
}

export type Block =
  | ResourceLink
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource"
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string }
    }

/** `undefined`: it is too large to return. */
const blockOf = (attached: Attached, id: string): Block | undefined => {
  if (!(attached instanceof Media)) return { type: "resource_link", ...attached }
  const {
    bytes,
    isBlock,
    link,
    type: { kind, mimeType }
  } = attached
  if (link !== undefined) {
    const description = `${bytes.length} bytes. Opens until ${link.until}.`
    return { type: "resource_link", uri: link.uri, name: kind, mimeType, description }
  }
  if (!isBlock) return undefined
  const data = Base64.encode(bytes)
  return kind === "file"
    ? { type: "resource", resource: { uri: `answer:${id}`, mimeType, blob: data } }
    : { type: kind, data, mimeType }
}

const hasAttached = (content: object): content is Used => "attached" in content

const isBatch = (content: object): content is Batch => "results" in content && "held_usd" in content

interface Blocks {
  readonly blocks: ReadonlyArray<Block>
  /** The result without what is in the blocks. */
  readonly shown: object
}

/** The blocks of a result, in the order of what it says about them. */
export const blocksOf = (content: object): Blocks => {
  const blocks: Array<Block> = []
  const take = ({ attached = [], ...used }: Partial<Used>): Partial<Used> => {
    for (const one of attached) {
      const block = blockOf(one, `${used.request_id ?? ""}/${blocks.length + 1}`)
      if (block === undefined) continue
      blocks.push(block)
      if (one instanceof Media) one.number = blocks.length
    }
    return used
  }
  if (isBatch(content)) return { shown: { ...content, results: content.results.map(take) }, blocks }
  return hasAttached(content) ? { shown: take(content), blocks } : { shown: content, blocks }
}

type Message = Pick<CallMessage, "metadata" | "revision">

const withoutLink = (block: Block): Block =>
  block.type === "resource_link" ? { type: "text", text: `${block.name}: ${block.uri}` } : block

const shortText = ({ error }: Content): string =>
  error === undefined ? "The result is in structuredContent." : `${error.code}: ${error.message}`

/** What the client of a call reads. Its JSON is there once: as text, or as structured content. */
export const resultFields = (content: Content, { metadata, revision }: Message): object => {
  const { blocks: all, shown } = blocksOf(content)
  const blocks = revision === oldest ? all.map(withoutLink) : all
  const isStructured = asksForStructure(metadata) && revision !== oldest
  const text = isStructured ? shortText(content) : JSON.stringify(shown)
  return {
    content: [{ type: "text", text }, ...blocks],
    ...(isStructured ? { structuredContent: shown } : {}),
    isError: content.error !== undefined
  }
}

/** The result of a call: what the tool returned, a task that the client polls, or a question. */
export const toolResult = (content: Content, message: Message, serverInfo: ServerInfo): object => {
  if (message.revision !== stateless) return resultFields(content, message)
  const every = ofStateless(serverInfo)
  if (content instanceof TaskHandle) return { ...every, resultType: "task", ...content.fields }
  if (content.asks !== undefined) return { ...every, resultType: "input_required", ...content.asks }
  return { ...every, ...resultFields(content, message) }
}
