import type { CallResponse, PromiseClient } from "@tollgate/client"
import type { Json } from "@tollgate/protocols/json"
import type { QuotedPrice, TollgateMetadata } from "../metadata.ts"
import type { Api } from "./apis.ts"
import type { Settled } from "./CallOptions.ts"
import { failing, type Subject } from "./errors.ts"

export type Name = Api["call"] | "embeddings" | "rerank" | "imageGenerate" | "imageEdit"

export const quoted = async (
  client: PromiseClient,
  name: Name,
  input: Json,
  { options: { signal }, quote }: Settled
): Promise<QuotedPrice | undefined> => {
  if (!quote) return undefined
  const price = await client.quote[name](input as never, signal === undefined ? {} : { signal })
  return { estimate: price.estimate, max: price.max }
}

/** What the answer says besides its content. */
export const metadataOf = (
  { key, maxPrice }: Settled,
  { cost, replayed, requestId }: Pick<CallResponse<unknown>, "cost" | "replayed" | "requestId">,
  quote: QuotedPrice | undefined
) => {
  const tollgate = {
    cost,
    replayed,
    idempotencyKey: key,
    ...(requestId === undefined ? {} : { requestId }),
    ...(maxPrice === undefined ? {} : { maxPrice }),
    ...(quote === undefined ? {} : { quote: { ...quote } })
  } satisfies TollgateMetadata
  return { tollgate }
}

/** Makes one call, and reads its whole answer. What `read` throws is an error of a call that was paid. */
export const answered = <A extends object>(
  client: PromiseClient,
  name: Name,
  subject: Subject,
  input: Json,
  settled: Settled,
  read: (value: unknown) => A | Promise<A>
) =>
  failing(
    subject,
    settled.key
  )(async () => {
    const quote = await quoted(client, name, input, settled)
    const { value, ...response } = await client[name](input as never, settled.options).withResponse()
    return {
      ...(await read(value)),
      providerMetadata: metadataOf(settled, response, quote),
      response: { modelId: subject.modelId, headers: { ...response.headers }, body: value as unknown }
    }
  })
