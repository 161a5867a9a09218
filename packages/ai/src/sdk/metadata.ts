import type { SharedV4ProviderMetadata } from "@ai-sdk/provider"
import type { CallResponse } from "@tollgate/client"
import type { QuotedPrice, TollgateMetadata } from "../metadata.ts"
import type { Settled } from "./CallOptions.ts"

interface Priced {
  readonly estimate_micros_usd: number
  readonly max_micros_usd: number
}

/** The price of the call, if the caller asks for it. */
export const quoted = async (
  { options: { signal }, quote }: Settled,
  ask: (options: { readonly signal?: NonNullable<typeof signal> }) => PromiseLike<Priced>
): Promise<QuotedPrice | undefined> => {
  if (!quote) return undefined
  const { estimate_micros_usd, max_micros_usd } = await ask(signal === undefined ? {} : { signal })
  return { estimateMicros: estimate_micros_usd, maxMicros: max_micros_usd }
}

/** What the answer says besides its content. */
export const metadataOf = (
  { key, maxPrice }: Settled,
  { cost, replayed, requestId }: Pick<CallResponse<unknown>, "cost" | "replayed" | "requestId">,
  quote: QuotedPrice | undefined
): SharedV4ProviderMetadata => {
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
