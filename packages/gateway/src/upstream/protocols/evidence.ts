import * as Evidence from "@tollgate/contract/price/evidence"
import * as Option from "effect/Option"
import type { Priced } from "../../Exchange.ts"
import type { Answer } from "../Protocol.ts"
import { isSuccess } from "./contentType.ts"
import { tryParse } from "./jsonValue.ts"

/** The evidence of cost in a whole answer. Tokens are priced by the caller's name for the model. */
export const evidenceOf =
  (usageOf: (answer: unknown) => Evidence.TokenUsage | undefined) =>
  ({ model, price }: Priced, { bytes, status }: Answer): Option.Option<Evidence.Evidence> => {
    if (!isSuccess(status)) return Option.none()
    const answer = tryParse(bytes)
    if (price.contract !== "model_tokens") return Evidence.evidence(price, answer)
    const usage = usageOf(answer)
    return model === undefined || usage === undefined ? Option.none() : Option.some({ kind: "model", model, usage })
  }
