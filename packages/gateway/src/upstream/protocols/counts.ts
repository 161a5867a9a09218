import type { ModelEvidence } from "@tollgate/contract/price/evidence"
import { tokensOf } from "@tollgate/contract/price/content"
import { inputOf, modelNamed } from "@tollgate/contract/price/contracts/modelRequest"
import { isByModel } from "@tollgate/contract/price/Price"
import type { Priced } from "../../exchange/Exchange.ts"
import type { ReportedPart, ReportedUsage } from "../Protocol.ts"

const partOf = ({ model, ...part }: ReportedPart, own: string) => ({ ...part, model: model ?? own })

/** The model that answered, and what ran with it. Most reports have none of this. */
const besides = ({ details, gaps, model: served, parts, region, speed, tier, uses }: ReportedUsage, own: string) => ({
  ...(served === undefined ? {} : { served }),
  ...(details === undefined ? {} : { details }),
  ...(tier === undefined ? {} : { tier }),
  ...(speed === undefined ? {} : { speed }),
  ...(region === undefined ? {} : { region }),
  ...(uses === undefined ? {} : { uses }),
  ...(parts === undefined ? {} : { parts: parts.map((part) => partOf(part, own)) }),
  ...(gaps === undefined ? {} : { gaps })
})

/** What was used: as reported, and for what was not reported by counting the text of the request and of the answer. */
export const modelEvidence = (
  { input: { body }, model = "", price }: Priced,
  reported: ReportedUsage = {},
  textBytes: number
): ModelEvidence => {
  const { cacheRead = 0, cacheWrite = 0, input, output } = reported
  const named = isByModel(price) ? modelNamed(price, model) : undefined
  const usage = {
    // Counting the request also counts what was read from a cache or written to it.
    input: input ?? Math.max(0, inputOf(body, named).likely - cacheRead - cacheWrite),
    output: output ?? tokensOf(textBytes),
    cacheRead,
    cacheWrite
  }
  // Some upstreams leave a count of zero out.
  const isReported = input !== undefined && (output !== undefined || textBytes === 0)
  return {
    kind: "model",
    model,
    usage,
    ...besides(reported, model),
    ...(isReported ? {} : { isEstimate: true })
  }
}
