import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { type Amount, inWords, isNothing } from "../Amount.ts"
import { textBytes, type Tokens, tokensOf } from "../content.ts"
import { isTokenCount } from "../evidence.ts"
import { perMillion, read } from "../exact.ts"
import type { PriceContract } from "../PriceContract.ts"
import { ifPriced, named, terms, Usd, UsdOrNumber, usdText } from "../priceSchemas.ts"

/** A billed text of the request: a field, counted once or once for each item of `timesItemsOf`. */
interface BilledText {
  readonly field: string
  readonly timesItemsOf?: string
}

/** Bills the answer's `usage.total_tokens`. */
export interface PerToken {
  readonly contract: "per_token"
  readonly perMillion: Amount
  readonly texts: ReadonlyArray<BilledText>
}

/**
 * The tokens of all texts. A field that is not among the billed ones counts once in the estimate and with each item in the
 * maximum, because the upstream may read it as part of each text.
 */
export const billedTokens = ({ texts }: PerToken, request: unknown): Tokens => {
  let known = 0
  let other = 0
  let mostItems = 1
  for (const text of texts) {
    const items = text.timesItemsOf === undefined ? undefined : read(request, [text.timesItemsOf])
    const repeated = Array.isArray(items) ? items.length : 1
    mostItems = Math.max(mostItems, repeated)
    known += textBytes(read(request, [text.field])) * repeated
  }
  if (Predicate.isObject(request)) {
    for (const name in request) if (!texts.some(({ field }) => field === name)) other += textBytes(request[name])
  }
  return { likely: tokensOf(known + other), most: known + other * mostItems }
}

const ownSchema = () => {
  const Text = Schema.Struct({
    field: Schema.NonEmptyString,
    timesItemsOf: Schema.optionalKey(Schema.NonEmptyString)
  })
  return Schema.Struct({
    ...named("per_token"),
    perMillion: UsdOrNumber,
    texts: Schema.optionalKey(Schema.Array(Schema.Union([Schema.NonEmptyString, Text]))).annotate({
      description: "The fields of the body whose text is billed, for estimates"
    })
  })
}

const totalTokens = ["usage", "total_tokens"] as const

export const perToken: PriceContract<PerToken> = {
  billsTokens: true,
  canBeFree: (price) => isNothing(price.perMillion),
  estimate: (price, request) => {
    if (price.perMillion === "pending") return undefined
    const { likely, most } = billedTokens(price, request)
    return {
      likely: perMillion(price.perMillion, likely),
      most: perMillion(price.perMillion, most),
      tokens: likely
    }
  },
  decidingFields: ({ texts }) =>
    texts.flatMap(({ field, timesItemsOf }) => [
      [[field]] as const,
      ...(timesItemsOf === undefined ? [] : [[[timesItemsOf]] as const])
    ]),
  needsBody: ({ texts }) => texts.length > 0,
  answerFields: () => [totalTokens],
  evidence: (_, answer) => {
    const total = read(answer, totalTokens)
    return isTokenCount(total) ? { kind: "tokens", total } : undefined
  },
  counted: (price, request) => ({ kind: "tokens", total: billedTokens(price, request).likely, isEstimate: true }),
  settle: (price, evidence) =>
    price.perMillion === "pending" || evidence.kind !== "tokens"
      ? undefined
      : perMillion(price.perMillion, evidence.total),
  basis: (price, times) =>
    `${inWords(price.perMillion)} / 1M tokens${times}; the estimate assumes 4 bytes of text per token, the maximum 1`,
  units: (price) => [{ per: "million tokens", amounts: [price.perMillion] }],
  namedFields: ({ texts }) => texts.map(({ field }) => [field]),
  section: (price) =>
    terms(Schema.Struct({ ...named("per_token"), perMillion: Usd }), ({ perMillion }) => ({ ...price, perMillion })),
  example: '{ "perMillion": … }',
  own: {
    key: "perMillion",
    example: '{ "perMillion": …, "texts": … }',
    schema: () =>
      terms(ownSchema(), ({ perMillion, texts = [] }) => ({
        contract: "per_token",
        perMillion,
        texts: texts.map((item) => (typeof item === "string" ? { field: item } : item))
      }))
  },
  written: ({ contract, perMillion }) => ifPriced({ contract, perMillion: usdText(perMillion) }),
  withAmount: (price, amount) => (price.perMillion === "pending" ? { ...price, perMillion: amount } : price)
}
