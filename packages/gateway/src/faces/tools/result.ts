import * as McpProtocol from "effect/ai/McpProtocol"
import { type Block, blocksOf } from "./blocks.ts"
import { asksForStructure, type CallMessage } from "./CallMessage.ts"
import type { Content } from "./handlers.ts"

/** It has no structured content and no links. */
const oldest = McpProtocol.v2025_03_26.protocolVersion

/** What the client of a call reads. Its JSON is there once: as text, or as structured content. */
export interface ToolResult {
  readonly text: string
  readonly blocks: ReadonlyArray<Block>
  readonly structured: object | undefined
}

const withoutLink = (block: Block): Block =>
  block.type === "resource_link" ? { type: "text", text: `${block.name}: ${block.uri}` } : block

const shortText = ({ error }: Content): string =>
  error === undefined ? "The result is in structuredContent." : `${error.code}: ${error.message}`

export const resultOf = (
  content: Content,
  { metadata, revision }: Pick<CallMessage, "metadata" | "revision">
): ToolResult => {
  const { blocks: all, shown } = blocksOf(content)
  const blocks = revision === oldest ? all.map(withoutLink) : all
  return asksForStructure(metadata) && revision !== oldest
    ? { text: shortText(content), blocks, structured: shown }
    : { text: JSON.stringify(shown), blocks, structured: undefined }
}
