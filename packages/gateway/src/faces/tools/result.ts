import * as McpProtocol from "effect/ai/McpProtocol"
import * as Predicate from "effect/Predicate"
import { type Block, blocksOf } from "./blocks.ts"
import type { CallMessage } from "./CallMessage.ts"
import type { Content } from "./handlers.ts"

/** The key of `_meta` by which a program asks for structured content. */
const structuredKey = "tollgate/structured"

const withoutStructure = McpProtocol.v2025_03_26.protocolVersion

/** What the client of a call reads. Its JSON is there once: as text, or as structured content. */
export interface ToolResult {
  readonly text: string
  readonly blocks: ReadonlyArray<Block>
  readonly structured: object | undefined
}

const asksForStructure = ({ metadata, revision }: Omit<CallMessage, "progress">): boolean =>
  Predicate.hasProperty(metadata, structuredKey) && metadata[structuredKey] === true && revision !== withoutStructure

const shortText = ({ error }: Content): string =>
  error === undefined ? "The result is in structuredContent." : `${error.code}: ${error.message}`

export const resultOf = (content: Content, message: Omit<CallMessage, "progress">): ToolResult => {
  const { blocks, shown } = blocksOf(content)
  return asksForStructure(message)
    ? { text: shortText(content), blocks, structured: shown }
    : { text: JSON.stringify(shown), blocks, structured: undefined }
}
