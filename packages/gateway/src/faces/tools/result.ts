import * as McpProtocol from "effect/ai/McpProtocol"
import { asksForStructure } from "./asked.ts"
import { type Block, blocksOf } from "./blocks.ts"
import type { CallMessage } from "./CallMessage.ts"
import type { Content } from "./handlers.ts"

const withoutStructure = McpProtocol.v2025_03_26.protocolVersion

/** What the client of a call reads. Its JSON is there once: as text, or as structured content. */
export interface ToolResult {
  readonly text: string
  readonly blocks: ReadonlyArray<Block>
  readonly structured: object | undefined
}

const shortText = ({ error }: Content): string =>
  error === undefined ? "The result is in structuredContent." : `${error.code}: ${error.message}`

export const resultOf = (
  content: Content,
  { metadata, revision }: Pick<CallMessage, "metadata" | "revision">
): ToolResult => {
  const { blocks, shown } = blocksOf(content)
  return asksForStructure(metadata) && revision !== withoutStructure
    ? { text: shortText(content), blocks, structured: shown }
    : { text: JSON.stringify(shown), blocks, structured: undefined }
}
