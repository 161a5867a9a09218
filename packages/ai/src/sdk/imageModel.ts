import type { ImageModelV4, ImageModelV4CallOptions, ImageModelV4File, SharedV4Warning } from "@ai-sdk/provider"
import type { PromiseClient } from "@tollgate/client"
import { countOr, defined, type Json, listOr, objectOr, textOr } from "@tollgate/protocols/json"
import { base64Of, fullMediaType } from "../conversation/parts.ts"
import { answered } from "./answer.ts"
import { settle, type TollgateCallOptions } from "./CallOptions.ts"
import { failing } from "./errors.ts"

const load = async (url: string, signal: AbortSignal | undefined): Promise<string> => {
  const answer = await fetch(url, signal === undefined ? {} : { signal })
  if (!answer.ok) throw new Error(`The image could not be loaded: status ${answer.status}`)
  return base64Of(new Uint8Array(await answer.arrayBuffer()))
}

const partOf = async (file: ImageModelV4File, signal: AbortSignal | undefined) => {
  const base64 = file.type === "url" ? await load(file.url, signal) : base64Of(file.data)
  const content_type = fullMediaType(file.type === "url" ? "image" : file.mediaType, base64)
  return { base64, content_type, filename: `image.${content_type.slice("image/".length)}` }
}

const inputOf = async (model: string, options: ImageModelV4CallOptions): Promise<Json> => {
  const { abortSignal, files = [], mask, n, prompt, size } = options
  const images = await Promise.all(files.map((file) => partOf(file, abortSignal)))
  return defined({
    model,
    prompt,
    n,
    size,
    // The other models of OpenAI refuse the field.
    response_format: model.startsWith("dall-e") ? "b64_json" : undefined,
    image: images.length === 1 ? images[0] : undefined,
    "image[]": images.length > 1 ? images : undefined,
    mask: mask === undefined ? undefined : await partOf(mask, abortSignal)
  })
}

const warningsOf = ({ aspectRatio, seed }: ImageModelV4CallOptions): Array<SharedV4Warning> =>
  Object.entries({ aspectRatio, seed }).flatMap(([feature, value]) =>
    value === undefined ? [] : [{ type: "unsupported", feature }]
  )

/** The images of `images.generate`, or with files of `images.edit`. */
export const imageModel = (client: PromiseClient, modelId: string, defaults: TollgateCallOptions): ImageModelV4 => ({
  specificationVersion: "v4",
  provider: "tollgate.image",
  modelId,
  // All images are one call, so that an idempotency key is that of all. `ai` divides by it.
  maxImagesPerCall: Number.MAX_SAFE_INTEGER,
  supportsFileInputs: true,
  supportsMaskInputs: true,
  doGenerate: async (options) => {
    const name = options.files === undefined || options.files.length === 0 ? "imageGenerate" : "imageEdit"
    const path = name === "imageEdit" ? "/v1/images/edits" : "images.generate"
    const subject = { path, modelId, modelType: "imageModel" } as const
    const settled = settle(defaults, options)
    const input = await failing(subject)(() => inputOf(modelId, options))
    const { providerMetadata, response, ...answer } = await answered(
      client,
      name,
      subject,
      input,
      settled,
      async (value) => {
        const { created, data, usage } = objectOr(value)
        const images = listOr(data).map(
          ({ b64_json, url }) => textOr(b64_json) || load(textOr(url), options.abortSignal)
        )
        const seconds = countOr(created)
        const { input_tokens, output_tokens, total_tokens } = objectOr(usage)
        return {
          images: await Promise.all(images),
          timestamp: seconds === undefined ? new Date() : new Date(seconds * 1000),
          usage: {
            inputTokens: countOr(input_tokens),
            outputTokens: countOr(output_tokens),
            totalTokens: countOr(total_tokens)
          }
        }
      }
    )
    const { timestamp, ...found } = answer
    return {
      ...found,
      // An answer without images was paid.
      isRetryable: false,
      // `ai` keeps only the images of it, and the first stands for the call.
      providerMetadata: { tollgate: { images: [providerMetadata.tollgate] } },
      response: { modelId, headers: response.headers, timestamp },
      warnings: warningsOf(options)
    }
  }
})
