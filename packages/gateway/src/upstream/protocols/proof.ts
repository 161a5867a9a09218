import * as Evidence from "@tollgate/contract/price/evidence"
import type { Price } from "@tollgate/contract/price/Price"
import * as Option from "effect/Option"
import type { Decoded, Priced } from "../../Exchange.ts"
import type { Head } from "@tollgate/contract/carrier/Carrier"
import type { Answer } from "../Protocol.ts"
import { picker } from "./pick.ts"
import { parse, read } from "./read.ts"

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The answer with nothing in it but what has this name: to make values of the rest takes three times as long. */
const only = (name: string) => {
  const pick = picker<"it">({ members: { [name]: { mark: "it" } } })
  return (bytes: Uint8Array): unknown => {
    let it: unknown
    const isWhole = pick(bytes, 0, bytes.length, (_, start, end) => (it = parse(bytes.subarray(start, end))))
    // It is not there, or its name is written with escapes.
    return isWhole && it !== undefined ? { [name]: it } : parse(bytes)
  }
}

const onlyUsage = only("usage")

/** What a price that is not by model reads in an answer. */
const needed = ({ contract }: Price, bytes: Uint8Array): unknown => {
  if (contract === "free" || contract === "per_request") return undefined
  return contract === "per_token" ? onlyUsage(bytes) : parse(bytes)
}

/** What a whole answer proves, by what stands in it under that name. A model has the price of the name that the caller used. */
export const proofOf = (name: string, usageIn: (usage: unknown) => Evidence.TokenUsage | undefined) => {
  const onlyReport = only(name)
  return ({ model, price }: Priced, { bytes, status }: Answer): Option.Option<Evidence.Evidence> => {
    if (!isSuccess(status)) return Option.none()
    if (price.contract !== "model_tokens") return Evidence.evidence(price, needed(price, bytes))
    const usage = usageIn(read(onlyReport(bytes), name))
    return model === undefined || usage === undefined ? Option.none() : Option.some({ kind: "model", model, usage })
  }
}

/** A success of that media type, whatever its parameters. */
export const isOfType = ({ headers, status }: Head, type: string): boolean =>
  isSuccess(status) && (headers["content-type"] ?? "").replace(/;.*/s, "").trim().toLowerCase() === type

/** An error in answer to the request for a stream is no stream. */
export const isEventStream = (_: Decoded, head: Head): boolean => isOfType(head, "text/event-stream")
