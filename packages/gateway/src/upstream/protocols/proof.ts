import * as Evidence from "@tollgate/contract/price/evidence"
import * as Option from "effect/Option"
import type { Decoded, Priced } from "../../Exchange.ts"
import type { Head } from "@tollgate/contract/carrier/Carrier"
import type { Answer } from "../Protocol.ts"
import { parse } from "./read.ts"

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** What a whole answer proves. Tokens are priced by the name that the caller used for the model. */
export const proofOf =
  (usageOf: (answer: unknown) => Evidence.TokenUsage | undefined) =>
  ({ model, price }: Priced, { bytes, status }: Answer): Option.Option<Evidence.Evidence> => {
    if (!isSuccess(status)) return Option.none()
    const answer = parse(bytes)
    if (price.contract !== "model_tokens") return Evidence.evidence(price, answer)
    const usage = usageOf(answer)
    return model === undefined || usage === undefined ? Option.none() : Option.some({ kind: "model", model, usage })
  }

/** A success of that media type, whatever its parameters. */
export const isOfType = ({ headers, status }: Head, type: string): boolean =>
  isSuccess(status) && (headers["content-type"] ?? "").replace(/;.*/s, "").trim().toLowerCase() === type

/** An error in answer to the request for a stream is no stream. */
export const isEventStream = (_: Decoded, head: Head): boolean => isOfType(head, "text/event-stream")
