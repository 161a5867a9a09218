import type { Gap } from "@tollgate/contract/admin/Prices"
import { contractOf } from "@tollgate/contract/price/contracts"
import type { ModelEvidence } from "@tollgate/contract/price/evidence"
import { familyOf, findModel } from "@tollgate/contract/price/modelFamily"
import { isByModel, modelsOf } from "@tollgate/contract/price/Price"
import { recordedNames } from "@tollgate/ledger/ledger/recorded"
import type { CallsWithGaps } from "@tollgate/ledger/usage/recordedGaps"
import { amount, time } from "../../managementApi/shapes.ts"
import { readEvidence, type FindPrice } from "./recorded.ts"

const ofModel = "models."

/** The names that the prices in force leave without a price in this evidence. `undefined`: they cannot be applied to it. */
const namesNow = (operation: string, evidence: ModelEvidence, find: FindPrice): ReadonlyArray<string> | undefined => {
  const price = find(operation, evidence.model)
  if (price === undefined || !isByModel(price)) return undefined
  const models = { ...price.models }
  const listedAs = (name: string): string | undefined => {
    const listed = [name, familyOf(name)].find((each) => findModel(modelsOf(find(operation, each)), each))
    if (listed !== undefined) Object.assign(models, modelsOf(find(operation, listed)))
    return listed
  }
  const isListed = (name: string) => name.startsWith(ofModel) && listedAs(name.slice(ofModel.length)) !== undefined
  const { gaps, parts, ...rest } = evidence
  const now: ModelEvidence = {
    ...rest,
    ...(gaps === undefined ? {} : { gaps: gaps.filter((name) => !isListed(name)) }),
    ...(parts === undefined
      ? {}
      : { parts: parts.map((part) => ({ ...part, model: listedAs(part.model) ?? part.model })) })
  }
  return recordedNames(contractOf(price).gaps?.({ ...price, models }, now) ?? [])
}

const openNames = ({ evidence, names, operation }: CallsWithGaps, find: FindPrice): ReadonlyArray<string> => {
  const read = readEvidence(evidence).evidence
  const now = read?.kind === "model" ? namesNow(operation, read, find) : undefined
  return now === undefined ? names : names.filter((name) => now.includes(name))
}

interface OpenGap extends Pick<CallsWithGaps, "operation" | "model" | "example"> {
  readonly name: string
  calls: number
  firstAt: number
  lastAt: number
  charged: bigint
}

/** What calls used without a price and what has none yet, those of the most calls first. Without `find`, all of it. */
export const openGaps = (recorded: ReadonlyArray<CallsWithGaps>, find?: FindPrice): ReadonlyArray<OpenGap> => {
  const gaps = new Map<string, OpenGap>()
  for (const calls of recorded) {
    const { charged, evidence: _, names: __, ...rest } = calls
    for (const name of find === undefined ? calls.names : openNames(calls, find)) {
      const id = JSON.stringify([rest.operation, rest.model, name])
      const gap = gaps.get(id)
      if (gap === undefined) gaps.set(id, { ...rest, name, charged })
      else {
        gap.calls += rest.calls
        gap.charged += charged
        gap.firstAt = Math.min(gap.firstAt, rest.firstAt)
        gap.lastAt = Math.max(gap.lastAt, rest.lastAt)
      }
    }
  }
  return [...gaps.values()].toSorted((a, b) => b.calls - a.calls)
}

export const gapShape = (gap: OpenGap): Gap => ({
  operation: gap.operation,
  model: gap.model,
  name: gap.name,
  calls: gap.calls,
  charged_micros_usd: amount(gap.charged),
  first_at: time(gap.firstAt),
  last_at: time(gap.lastAt),
  example: gap.example
})
