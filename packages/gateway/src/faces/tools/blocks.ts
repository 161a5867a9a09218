import { AudioContent, type ContentBlock, EmbeddedResource, ImageContent } from "effect/ai/McpSchema"
import * as Base64 from "effect/encoding/Base64"
import type { Batch, Used } from "./shapes.ts"

export type Block = typeof ContentBlock.Type

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
  /** The result without the bytes that are blocks. Other bytes are base64. */
  readonly shown: object
}

/** Blocks for the answers that are bytes, in their order. */
export const blocksOf = (content: object): Blocks => {
  if (isBatch(content)) {
    const all = content.results.map(blockOf)
    const results = content.results.map((used, i) => (all[i] === undefined ? encoded(used) : withoutBody(used)))
    return { blocks: all.flatMap((block) => block ?? []), shown: { ...content, results } }
  }
  const block = blockOf(content)
  return block === undefined
    ? { blocks: [], shown: encoded(content) }
    : { blocks: [block], shown: withoutBody(content) }
}
