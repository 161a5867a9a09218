import { AudioContent, type ContentBlock, EmbeddedResource, ImageContent } from "effect/ai/McpSchema"
import * as Base64 from "effect/encoding/Base64"
import type { Batch, Used } from "./shapes.ts"

type Block = typeof ContentBlock.Type

const typeOf = (contentType = ""): string => contentType.replace(/;.*/s, "").trim().toLowerCase()

/** The bytes of an answer as a model sees or hears them. `undefined`: it is not bytes, or not all of them. */
const blockOf = ({ body, content_type, request_id, truncated }: Partial<Used>): Block | undefined => {
  if (!(body instanceof Uint8Array) || truncated === true) return undefined
  const mimeType = typeOf(content_type)
  if (mimeType.startsWith("image/")) return ImageContent.make({ type: "image", data: body, mimeType })
  if (mimeType.startsWith("audio/")) return AudioContent.make({ type: "audio", data: body, mimeType })
  return EmbeddedResource.make({
    type: "resource",
    resource: {
      uri: `answer:${request_id ?? ""}`,
      mimeType: mimeType === "" ? "application/octet-stream" : mimeType,
      blob: body
    }
  })
}

const isBatch = (content: object): content is Batch => "results" in content && "held_usd" in content

const encoded = <A extends Partial<Used>>(used: A): A =>
  used.body instanceof Uint8Array ? { ...used, body: Base64.encode(used.body) } : used

const withoutBody = ({ body: _, ...rest }: Partial<Used>): object => rest

interface Blocks {
  readonly blocks: ReadonlyArray<Block>
  /** The result with bytes as base64. */
  readonly structured: object
  /** The same without the bytes that are blocks: as text they would only fill a model's context. */
  readonly shown: object
}

/** Blocks for the answers that are bytes, in their order. */
export const blocksOf = (content: object): Blocks => {
  if (isBatch(content)) {
    const results = content.results.map(encoded)
    const all = content.results.map(blockOf)
    const structured = { ...content, results }
    const blocks = all.flatMap((block) => block ?? [])
    if (blocks.length === 0) return { blocks, structured, shown: structured }
    return {
      blocks,
      structured,
      shown: { ...content, results: results.map((used, i) => (all[i] === undefined ? used : withoutBody(used))) }
    }
  }
  const block = blockOf(content)
  const structured = encoded(content)
  return block === undefined
    ? { blocks: [], structured, shown: structured }
    : { blocks: [block], structured, shown: withoutBody(content) }
}
