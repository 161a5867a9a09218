import { type Block, blocksOf } from "./blocks.ts"
import { asksForStructure, type CallMessage } from "./CallMessage.ts"
import type { Content } from "./handlers.ts"
import { ofStateless, type ServerInfo } from "./methods.ts"
import { oldest, stateless } from "./revisions.ts"
import { TaskHandle } from "./TaskHandle.ts"

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
