import { AudioContent, type ContentBlock, EmbeddedResource, ImageContent } from "effect/ai/McpSchema"
import * as Base64 from "effect/encoding/Base64"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Batch, Used } from "./shapes.ts"

type Block = typeof ContentBlock.Type

const typeOf = (contentType = ""): string => contentType.replace(/;.*/s, "").trim().toLowerCase()

/** The bytes of an answer as a model sees or hears them. `undefined`: it is not bytes, or not all of them. */
const blockOf = ({ body, body_encoding, content_type, request_id, truncated }: Partial<Used>): Block | undefined => {
  if (body_encoding !== "base64" || truncated === true || !Predicate.isString(body)) return undefined
  const decoded = Base64.decode(body)
  if (Result.isFailure(decoded)) return undefined
  const data = decoded.success
  const mimeType = typeOf(content_type)
  if (mimeType.startsWith("image/")) return ImageContent.make({ type: "image", data, mimeType })
  if (mimeType.startsWith("audio/")) return AudioContent.make({ type: "audio", data, mimeType })
  return EmbeddedResource.make({
    type: "resource",
    resource: {
      uri: `answer:${request_id ?? ""}`,
      mimeType: mimeType === "" ? "application/octet-stream" : mimeType,
      blob: data
    }
  })
}

const isBatch = (content: object): content is Batch => "results" in content && "held_usd" in content

const withoutBody = ({ body: _, ...rest }: Partial<Used>): object => rest

/**
 * Blocks for the answers that are bytes, in their order, and the result without them: as text they would only fill a model's
 * context.
 */
export const blocksOf = (content: object): { readonly blocks: ReadonlyArray<Block>; readonly shown: object } => {
  if (isBatch(content)) {
    const all = content.results.map((used) => ({ used, block: blockOf(used) }))
    const blocks = all.flatMap(({ block }) => block ?? [])
    if (blocks.length === 0) return { blocks, shown: content }
    return {
      blocks,
      shown: { ...content, results: all.map(({ block, used }) => (block === undefined ? used : withoutBody(used))) }
    }
  }
  const block = blockOf(content)
  return block === undefined ? { blocks: [], shown: content } : { blocks: [block], shown: withoutBody(content) }
}
